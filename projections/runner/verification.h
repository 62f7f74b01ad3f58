#pragma once

#include <cstddef>

#include "projections/projection.h"
#include "projections/projection_status.h"
#include "projections/readmodel/read_model.h"

namespace cairn {

// Compares the rows of two read models of a projection, key by key, and adds what it finds to the report.
// REQUIRES: neither changes meanwhile.
Status compare_rows(const Projection& projection, ReadModel& live, ReadModel& rebuilt,
                    RowsVerification& report);

}  // namespace cairn
