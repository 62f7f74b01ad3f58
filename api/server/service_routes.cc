#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/aggregates/aggregate_service.h"
#include "api/http/problem.h"
#include "api/metrics/metrics.h"
#include "api/projections/projection_service.h"
#include "api/server/routes.h"
#include "eventstore/event_store.h"
#include "schemaregistry/registry/schema_registry.h"
#include "upcasters/event_shapes.h"

namespace cairn::api {

namespace {

// openapi.json with the version of this build.
std::string_view openapi_json() {
  static constexpr char kText[] =
#include "api/server/openapi.json.inc"
      ;
  return {kText, sizeof kText - 1};
}

void answer_ready(const StoreSlot& slot, const Responder& respond) {
  const EventStore* store = slot.store();
  if (store == nullptr) {
    respond(not_yet("The store is being recovered.").to_response());
    return;
  }
  const nlohmann::json state = {{"status", "ready"}, {"head", store->head().value}};
  respond(json_response(200, state.dump()));
}

}  // namespace

std::vector<Route> service_routes(const RouteContext& context) {
  std::vector<Route> routes;
  // Reveals nothing about the program: it is the only path that needs no token.
  routes.push_back({"GET", "/health",
                    [](const HttpRequest&, const Responder& respond) {
                      respond(json_response(200, R"({"status":"alive"})"));
                    },
                    std::nullopt});
  routes.push_back({"GET", "/ready", [&slot = context.store](const HttpRequest&, const Responder& respond) {
                      answer_ready(slot, respond);
                    }});
  std::string version = nlohmann::json({{"name", "cairn"}, {"version", context.version}}).dump();
  routes.push_back(
      {"GET", "/version", [version = std::move(version)](const HttpRequest&, const Responder& respond) {
         respond(json_response(200, version));
       }});
  routes.push_back(
      {"GET", "/metrics",
       [&slot = context.store, &metrics = context.metrics](const HttpRequest&, const Responder& respond) {
         HttpResponse response;
         response.content_type = "text/plain; version=0.0.4; charset=utf-8";
         const EventShapes* shapes = slot.shapes();
         AggregateService* aggregates = slot.aggregates();
         ProjectionService* projections = slot.projections();
         response.body =
             metrics.text(slot.store(), slot.registry(), shapes == nullptr ? nullptr : &shapes->upcasters(),
                          aggregates == nullptr ? nullptr : &aggregates->states(),
                          projections == nullptr ? nullptr : &projections->models());
         respond(std::move(response));
       }});
  routes.push_back({"GET", "/openapi.json", [](const HttpRequest&, const Responder& respond) {
                      respond(json_response(200, std::string(openapi_json())));
                    }});
  return routes;
}

}  // namespace cairn::api
