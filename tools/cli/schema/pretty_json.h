#pragma once

#include <string>
#include <string_view>

namespace cairn::cli {

// JSON on many lines, for reading. Only white space is added; numbers and names stay as they are written.
// REQUIRES: check_json() found no fault in `json`.
std::string pretty_json(std::string_view json);

}  // namespace cairn::cli
