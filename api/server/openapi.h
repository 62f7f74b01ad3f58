#pragma once

#include <string_view>

namespace cairn::api {

// openapi.json, which is beside this file, with the version of this build.
std::string_view openapi_json();

}  // namespace cairn::api
