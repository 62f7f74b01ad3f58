#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "api/problem.h"
#include "api/routes.h"

namespace cairn::api {

namespace {

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
  // Says nothing about the program: it is the one path that will be open to strangers.
  routes.push_back({"GET", "/health", [](const HttpRequest&, const Responder& respond) {
                      respond(json_response(200, R"({"status":"alive"})"));
                    }});
  routes.push_back({"GET", "/ready", [&slot = context.store](const HttpRequest&, const Responder& respond) {
                      answer_ready(slot, respond);
                    }});
  std::string version = nlohmann::json({{"name", "cairn"}, {"version", context.version}}).dump();
  routes.push_back(
      {"GET", "/version", [version = std::move(version)](const HttpRequest&, const Responder& respond) {
         respond(json_response(200, version));
       }});
  return routes;
}

}  // namespace cairn::api
