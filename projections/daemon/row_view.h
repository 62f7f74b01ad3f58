#pragma once

#include <string>

#include "projections/daemon/read_models.h"
#include "projections/projection.h"
#include "projections/readmodel/read_model.h"

namespace cairn {

// Rows of a read model as JSON, with the checkpoint of the commit they were read from. `projection` is the
// one that made them. Fails as the read model does, and with kCorruption for bytes that are not a saved row.
Result<RowAnswer> read_row(ReadModel& model, const Projection& projection, const std::string& key);
Result<RowsAnswer> read_rows(ReadModel& model, const Projection& projection, const RowsQuery& query);

}  // namespace cairn
