#include "api/registry/registry_routes.h"

#include <iterator>
#include <utility>

namespace cairn::api {

std::vector<Route> registry_routes(const RouteContext& context) {
  std::vector<Route> routes = registry_info_routes(context.store, context.version);
  for (auto* group : {&subject_routes, &schema_routes, &compatibility_routes, &setting_routes}) {
    auto more = group(context.store);
    routes.insert(routes.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  return routes;
}

}  // namespace cairn::api
