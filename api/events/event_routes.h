#pragma once

#include <vector>

#include "api/http/router.h"
#include "api/serving/route_context.h"

namespace cairn::api {

// Appends to one stream and to several.
std::vector<Route> append_routes(const RouteContext& context);

// The numbers of one stream, and the list of streams.
std::vector<Route> stream_routes(const RouteContext& context);

// How many events each category, type or tag has.
std::vector<Route> count_routes(const RouteContext& context);

// Events of one stream and of the whole log: as pages, as lines, and as server-sent events.
std::vector<Route> event_routes(const RouteContext& context);

}  // namespace cairn::api
