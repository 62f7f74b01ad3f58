#include "api/projections/projection_route.h"

#include <utility>

#include "api/projections/projection_problem.h"
#include "api/projections/projection_service.h"
#include "api/serving/route_tools.h"
#include "eventstore/event_store.h"

namespace cairn::api {

namespace {

Answered<void> check_token(const HttpRequest& request) {
  if (request.token == nullptr || !request.token->categories) return {};
  return forbidden("The token '" + request.token->name +
                   "' does not reach all categories, and a projection may read any category.");
}

}  // namespace

RouteHandler with_projections(const StoreSlot& slot, ProjectionHandler handle) {
  return with_store(slot, [&slot, handle = std::move(handle)](EventStore&, const HttpRequest& request,
                                                              const Responder& respond) {
    if (refused(check_token(request), respond)) return;
    ProjectionService* service = slot.projections();
    if (service == nullptr) return respond(projections_off().to_response());
    handle(*service, request, respond);
  });
}

}  // namespace cairn::api
