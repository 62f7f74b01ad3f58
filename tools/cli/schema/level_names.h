#pragma once

#include <string>
#include <vector>

namespace cairn::cli {

// The values of --level, for the parser and for completion.
inline std::vector<std::string> level_names() {
  return {"NONE", "BACKWARD",       "BACKWARD_TRANSITIVE", "FORWARD", "FORWARD_TRANSITIVE",
          "FULL", "FULL_TRANSITIVE"};
}

}  // namespace cairn::cli
