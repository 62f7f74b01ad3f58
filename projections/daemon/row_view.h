#pragma once

#include <string>

#include "projections/daemon/projection_daemon.h"
#include "projections/projection.h"
#include "projections/readmodel/read_model.h"

namespace cairn {

// Rows of a read model as clients see them, with the checkpoint they go with. `projection` is the one that
// made them. Fails as the read model does, and with kCorruption for bytes that are no row.
Result<RowAnswer> read_row(ReadModel& model, const Projection& projection, const std::string& key);
Result<RowsAnswer> read_rows(ReadModel& model, const Projection& projection, const RowsQuery& query);

}  // namespace cairn
