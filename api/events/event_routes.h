#pragma once

#include <vector>

#include "api/http/router.h"
#include "api/serving/route_context.h"

namespace cairn::api {

// Appends to one stream and to several.
std::vector<Route> append_routes(const RouteContext& context);

// What is known of one stream, and of those there are.
std::vector<Route> stream_routes(const RouteContext& context);

// Events of one stream and of the whole log: by page, as lines, and live.
std::vector<Route> event_routes(const RouteContext& context);

}  // namespace cairn::api
