#include "api/server/openapi.h"

namespace cairn::api {

std::string_view openapi_json() {
  static constexpr char kText[] =
#include "api/server/openapi.json.inc"
      ;
  return {kText, sizeof kText - 1};
}

}  // namespace cairn::api
