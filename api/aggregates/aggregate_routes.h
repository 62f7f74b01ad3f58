#pragma once

#include <vector>

#include "api/http/router.h"
#include "api/serving/route_context.h"

namespace cairn::api {

// Aggregates: deploy and list them, and make snapshots of all streams of a category.
std::vector<Route> aggregate_routes(const RouteContext& context);

// Try a script on events, without deploying it.
std::vector<Route> aggregate_try_routes(const RouteContext& context);

// The state of a stream: now, at a version or at a time.
std::vector<Route> state_routes(const RouteContext& context);

// The snapshots of one stream.
std::vector<Route> snapshot_routes(const RouteContext& context);

}  // namespace cairn::api
