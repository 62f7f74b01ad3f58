#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/types.h"
#include "upcasters/model/shape.h"

namespace cairn::api {

// How a client wants its events. A value.
struct WantedEvents {
  Shape shape = Shape::latest();
  std::vector<std::string>
      types;  // as they come out, which may be others than they were stored as; none = all
  Direction direction = Direction::kForward;

  bool takes(std::string_view type) const {
    return types.empty() || std::find(types.begin(), types.end(), type) != types.end();
  }
};

}  // namespace cairn::api
