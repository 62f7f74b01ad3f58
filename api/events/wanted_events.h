#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/event_filter.h"
#include "eventstore/read/event_match.h"
#include "eventstore/types.h"
#include "upcasters/model/shape.h"

namespace cairn::api {

// The shape, types, direction and times that a client asks for. A value.
struct WantedEvents {
  Shape shape = Shape::latest();
  std::vector<std::string> types;  // after shaping, which may change an event's type; none = all
  Direction direction = Direction::kForward;
  std::optional<Timestamp> recorded_from = {};   // events recorded at or after this time
  std::optional<Timestamp> recorded_until = {};  // and before this one

  // Of these an event must satisfy one, with its type after shaping; none = it need not.
  EventQuery items = {};

  // Whether an event is wanted that becomes one of this type.
  bool takes(const EventView& stored, std::string_view type) const {
    if (!types.empty() && std::find(types.begin(), types.end(), type) == types.end()) return false;
    std::string scratch;
    return items.empty() || std::any_of(items.begin(), items.end(), [&](const EventFilter& item) {
             return selects_type(item, type) && selects_beside_type(item, stored, scratch);
           });
  }

  bool covers(Timestamp recorded_at) const {
    return (!recorded_from || recorded_at >= *recorded_from) &&
           (!recorded_until || recorded_at < *recorded_until);
  }
};

}  // namespace cairn::api
