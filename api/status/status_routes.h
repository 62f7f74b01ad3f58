#pragma once

#include <vector>

#include "api/http/router.h"
#include "api/serving/route_context.h"

namespace cairn::api {

// GET /status: what a person or a monitor wants to know of a server on one screen. What cannot be read, as in a
// damaged log, is left out. A token that is limited to categories gets neither the data folder nor projections.
std::vector<Route> status_routes(const RouteContext& context);

}  // namespace cairn::api
