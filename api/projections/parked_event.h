#pragma once

#include <cstddef>

#include "api/projections/parked_json.h"
#include "api/serving/store_slot.h"
#include "eventstore/base/work_budget.h"

namespace cairn::api {

// Reads the events that failed, in their newest shape, or as stored where an upcaster fails on them or splits them.
// Data above `data_bytes_max` is left out (shaped_json.h). Events are null once the budget has ended.
// REQUIRES: both outlive the function; it is called on a thread that may read the disk.
EventAsJson parked_event_json(const StoreSlot& slot, std::size_t data_bytes_max, WorkBudget& budget);

}  // namespace cairn::api
