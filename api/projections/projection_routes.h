#pragma once

#include <vector>

#include "api/http/router.h"
#include "api/serving/route_context.h"

namespace cairn::api {

// Projections: deploy, list and remove them.
std::vector<Route> projection_routes(const RouteContext& context);

// Rebuild, cancel, roll back, pause, resume and verify a projection.
std::vector<Route> projection_control_routes(const RouteContext& context);

// Try a script on events, without deploying it.
std::vector<Route> projection_try_routes(const RouteContext& context);

// The rows of projections.
std::vector<Route> row_routes(const RouteContext& context);

// Parked events: list, retry and skip them.
std::vector<Route> parked_routes(const RouteContext& context);

}  // namespace cairn::api
