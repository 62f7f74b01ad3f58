#pragma once

#include <vector>

#include "api/http/router.h"
#include "api/serving/route_context.h"

namespace cairn::api {

// What makes states out of events: deployed and listed, and snapshots for all streams of a category.
std::vector<Route> aggregate_routes(const RouteContext& context);

// The state of a stream, now or then.
std::vector<Route> state_routes(const RouteContext& context);

// The snapshots of one stream.
std::vector<Route> snapshot_routes(const RouteContext& context);

}  // namespace cairn::api
