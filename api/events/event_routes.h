#pragma once

#include <vector>

#include "api/events/event_source.h"
#include "api/http/router.h"
#include "api/serving/route_context.h"
#include "eventstore/base/work_budget.h"

namespace cairn::api {

// Appends to one stream and to several.
std::vector<Route> append_routes(const RouteContext& context);

// The numbers of one stream, and the list of streams.
std::vector<Route> stream_routes(const RouteContext& context);

// How many events each category, type or tag has.
std::vector<Route> count_routes(const RouteContext& context);

// Events of one stream and of the whole log: as pages, as lines, and as server-sent events.
std::vector<Route> event_routes(const RouteContext& context);

// The answer of these routes: of a stream when the request has the parameter `stream`.
Answered<HttpResponse> answer_events(const EventSource& source, const HttpRequest& request,
                                     WorkBudget& budget);

// Tickets with which browsers follow events.
std::vector<Route> ticket_routes(const RouteContext& context);

}  // namespace cairn::api
