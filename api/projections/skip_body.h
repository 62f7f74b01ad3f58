#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "api/http/problem.h"

namespace cairn::api {

// Reads {"reason":"…"}: why an event is left out, in 1 to 1,000 characters.
std::variant<std::string, Problem> read_skip_reason(std::string_view body);

}  // namespace cairn::api
