#pragma once

#include <vector>

#include "api/http/router.h"
#include "api/serving/route_context.h"

namespace cairn::api {

// Upcasters: deploy and list them. A deployment verifies the upcaster on all history, so it runs on the thread
// of DeployService, and its progress is streamed to clients that accept NDJSON.
std::vector<Route> upcaster_routes(const RouteContext& context);

// Try a script on events, without deploying it.
std::vector<Route> upcaster_try_routes(const RouteContext& context);

}  // namespace cairn::api
