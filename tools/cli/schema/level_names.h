#pragma once

#include <string>
#include <vector>

namespace cairn::cli {

// All levels of compatibility, for the parser to offer.
inline std::vector<std::string> level_names() {
  return {"NONE", "BACKWARD",       "BACKWARD_TRANSITIVE", "FORWARD", "FORWARD_TRANSITIVE",
          "FULL", "FULL_TRANSITIVE"};
}

}  // namespace cairn::cli
