#pragma once

#include <string_view>

namespace cairn::api {

// openapi.json, the description of every path for people and programs, as it lies beside this file but with
// the version of this build.
std::string_view openapi_json();

}  // namespace cairn::api
