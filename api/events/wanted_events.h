#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

  bool takes(std::string_view type) const {
    return types.empty() || std::find(types.begin(), types.end(), type) != types.end();
  }

  bool covers(Timestamp recorded_at) const {
    return (!recorded_from || recorded_at >= *recorded_from) &&
           (!recorded_until || recorded_at < *recorded_until);
  }
};

}  // namespace cairn::api
