#pragma once

#include <vector>

#include "api/http/router.h"
#include "api/serving/route_context.h"

namespace cairn::api {

// Upcasters: deploy and list them.
std::vector<Route> upcaster_routes(const RouteContext& context);

}  // namespace cairn::api
