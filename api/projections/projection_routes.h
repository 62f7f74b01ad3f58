#pragma once

#include <vector>

#include "api/http/router.h"
#include "api/serving/route_context.h"

namespace cairn::api {

// What makes rows out of events: deployed, listed and removed.
std::vector<Route> projection_routes(const RouteContext& context);

// Building rows anew, stopping and going on, and comparing rows with the log.
std::vector<Route> projection_control_routes(const RouteContext& context);

// The rows that projections make.
std::vector<Route> row_routes(const RouteContext& context);

// Events that projections could not apply, and those that wait behind them.
std::vector<Route> parked_routes(const RouteContext& context);

}  // namespace cairn::api
