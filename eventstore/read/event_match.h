#pragma once

#include <string>

#include "eventstore/event_filter.h"
#include "eventstore/types.h"

namespace cairn {

// Whether the filter selects the event. `scratch` saves an allocation for each event.
bool selects(const EventFilter& filter, const EventView& event, std::string& scratch);

}  // namespace cairn
