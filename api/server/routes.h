#pragma once

#include <vector>

#include "api/http/router.h"
#include "api/serving/route_context.h"

namespace cairn::api {

// All routes of the server. A new group of routes is a function that all_routes() calls.
std::vector<Route> all_routes(const RouteContext& context);

// /health: the process is alive. /ready: the store is recovered and serves, with its head, and how far its
// index is while that is rebuilt. /version, /metrics and /openapi.json. /reload reads tokens and certificate
// again.
std::vector<Route> service_routes(const RouteContext& context);

}  // namespace cairn::api
