#include "api/server/routes.h"

#include <iterator>
#include <utility>

#include "api/aggregates/aggregate_routes.h"
#include "api/events/event_routes.h"
#include "api/projections/projection_routes.h"
#include "api/registry/registry_routes.h"
#include "api/status/status_routes.h"
#include "api/upcasters/upcaster_routes.h"

namespace cairn::api {

std::vector<Route> all_routes(const RouteContext& context) {
  std::vector<Route> routes;
  for (auto* group :
       {&service_routes, &status_routes, &append_routes, &stream_routes, &event_routes, &count_routes,
        &ticket_routes, &upcaster_routes, &aggregate_routes, &state_routes, &snapshot_routes,
        &projection_routes, &projection_control_routes, &row_routes, &parked_routes, &projection_try_routes,
        &aggregate_try_routes, &upcaster_try_routes, &registry_routes}) {
    auto more = group(context);
    routes.insert(routes.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  return routes;
}

}  // namespace cairn::api
