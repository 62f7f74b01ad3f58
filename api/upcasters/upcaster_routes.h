#pragma once

#include <vector>

#include "api/http/router.h"
#include "api/serving/route_context.h"

namespace cairn::api {

// What brings old events into new shapes: deployed and listed.
std::vector<Route> upcaster_routes(const RouteContext& context);

}  // namespace cairn::api
