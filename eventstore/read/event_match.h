#pragma once

#include <string>
#include <string_view>

#include "eventstore/event_filter.h"
#include "eventstore/types.h"

namespace cairn {

// Whether the filter selects the event, if its type is left out of account. `scratch` saves an allocation for each
// event.
bool selects_beside_type(const EventFilter& filter, const EventView& event, std::string& scratch);

// Whether the filter selects events of this type.
bool selects_type(const EventFilter& filter, std::string_view type);

// Whether the filter selects the event. `scratch` as above.
bool selects(const EventFilter& filter, const EventView& event, std::string& scratch);

}  // namespace cairn
