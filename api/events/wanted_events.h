#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/types.h"
#include "upcasters/model/shape.h"

namespace cairn::api {

// The shape, types and direction that a client asks for. A value.
struct WantedEvents {
  Shape shape = Shape::latest();
  std::vector<std::string> types;  // after shaping, which may change an event's type; none = all
  Direction direction = Direction::kForward;

  bool takes(std::string_view type) const {
    return types.empty() || std::find(types.begin(), types.end(), type) != types.end();
  }
};

}  // namespace cairn::api
