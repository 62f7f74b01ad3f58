#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/access/token_file.h"
#include "api/aggregates/aggregate_service.h"
#include "api/http/problem.h"
#include "api/http/server_log.h"
#include "api/metrics/metrics.h"
#include "api/projections/projection_service.h"
#include "api/registry/registry_route.h"
#include "api/server/routes.h"
#include "api/serving/query_reader.h"
#include "api/serving/refusal_audit.h"
#include "api/serving/route_tools.h"
#include "eventstore/event_store.h"
#include "projections/runner/audit.h"
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

// front_page.html with the version of this build.
std::string_view front_page() {
  static constexpr char kText[] =
#include "api/server/front_page.html.inc"
      ;
  return {kText, sizeof kText - 1};
}

// `GET /` is that of the schema registry; a browser gets a page about the server.
Route root_route(const StoreSlot& slot) {
  Route route = registry_get(slot, "/", [](const HttpRequest&) -> RegistryResult<RegistryTask> {
    return RegistryTask(
        [](SchemaRegistry&, WorkBudget&) -> RegistryResult<std::string> { return std::string("{}"); });
  });
  route.is_page = true;
  route.handle = [of_registry = std::move(route.handle)](const HttpRequest& request, Responder respond) {
    if (request.header("Accept").value_or("").find("text/html") == std::string_view::npos) {
      return of_registry(request, std::move(respond));
    }
    HttpResponse page;
    page.content_type = "text/html; charset=utf-8";
    page.headers.emplace_back("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
    page.body = front_page();
    respond(std::move(page));
  };
  return route;
}

// Whether the store serves is what probes of a supervisor ask, which have no token. What is in it is for tokens.
void answer_ready(const StoreSlot& slot, const HttpRequest& request, const Responder& respond) {
  const EventStore* store = slot.store();
  if (store == nullptr) {
    respond(not_yet("The store is being recovered.").to_response());
    return;
  }
  if (request.is_anonymous) return respond(json_response(200, R"({"status":"ready"})"));
  nlohmann::json state = {{"status", "ready"}, {"head", store->head().value}};
  if (const IndexProgress index = store->index_progress(); !index.complete()) {
    state["index"] = {{"done", index.done.value}, {"total", index.total.value}};
  }
  respond(json_response(200, state.dump()));
}

// $audit says who had the files read again. Revoking a token must work on a full disk too, so an event that
// cannot be stored does not undo the reload.
void answer_reload(const std::function<Result<Reloaded>()>& reload, EventStore& store,
                   const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (refused(query.finish(), respond)) return;
  if (refused(check_categories(request, {}), respond)) return;
  const auto reloaded = reload();
  if (!reloaded) {
    const Problem problem(409, "reload-failed", "The reload failed", sentence(reloaded.error().message));
    RefusalAudit(store, request).note(problem);
    return respond(problem.to_response());
  }
  nlohmann::ordered_json answer;
  answer["tokens"] = reloaded->tokens ? nlohmann::ordered_json(*reloaded->tokens) : nlohmann::ordered_json();
  answer["certificate"] = reloaded->certificate;
  nlohmann::ordered_json details;
  details["by"] = request.token ? nlohmann::ordered_json(request.token->name) : nlohmann::ordered_json();
  details.update(answer);
  NewEvent event;
  event.type = "ServerReloaded";
  event.data = details.dump();
  event.metadata = metadata_of(origin_of(request), kOutcomeOk);
  AppendRequest append;
  append.origin = Origin::kSystem;
  append.streams.push_back({std::string(kAuditStream), ExpectedVersion::any(), {std::move(event)}});
  store.append_async(
      std::move(append), [respond, text = answer.dump()](const Result<AppendResult>& appended) {
        if (!appended) {
          server_log(LogEvent(LogLevel::kWarning, "audit-failed",
                              "A reload could not be written to $audit: " + appended.error().message)
                         .with("error", appended.error().message));
        }
        respond(json_response(200, text));
      });
}

}  // namespace

std::vector<Route> service_routes(const RouteContext& context) {
  std::vector<Route> routes;
  routes.push_back(root_route(context.store));
  // Reveals nothing about the program, and needs no token.
  routes.push_back({"GET", "/health",
                    [](const HttpRequest&, const Responder& respond) {
                      respond(json_response(200, R"({"status":"alive"})"));
                    },
                    std::nullopt});
  routes.push_back(
      {"GET", "/ready", [&slot = context.store](const HttpRequest& request, const Responder& respond) {
         answer_ready(slot, request, respond);
       }});
  routes.back().allows_anonymous = true;
  std::string version = nlohmann::json({{"name", "cairn"}, {"version", context.version}}).dump();
  routes.push_back(
      {"GET", "/version", [version = std::move(version)](const HttpRequest&, const Responder& respond) {
         respond(json_response(200, version));
       }});
  routes.push_back({"GET", "/metrics",
                    [&slot = context.store, &metrics = context.metrics](const HttpRequest& request,
                                                                        const Responder& respond) {
                      HttpResponse response;
                      response.content_type = "text/plain; version=0.0.4; charset=utf-8";
                      const EventShapes* shapes = slot.shapes();
                      AggregateService* aggregates = slot.aggregates();
                      // Names of projections may tell about categories that the token does not reach.
                      const bool all_categories = request.token == nullptr || !request.token->categories;
                      ProjectionService* projections = all_categories ? slot.projections() : nullptr;
                      response.body = metrics.text(slot.store(), slot.registry(),
                                                   shapes == nullptr ? nullptr : &shapes->upcasters(),
                                                   aggregates == nullptr ? nullptr : &aggregates->states(),
                                                   projections == nullptr ? nullptr : &projections->models());
                      respond(std::move(response));
                    }});
  routes.back().runs_on = RunsOn::kWorker;  // It waits for the locks of what it measures.
  routes.push_back({"GET", "/openapi.json", [](const HttpRequest&, const Responder& respond) {
                      respond(json_response(200, std::string(openapi_json())));
                    }});
  routes.push_back({"POST", "/reload",
                    with_store(context.store,
                               [reload = context.reload](EventStore& store, const HttpRequest& request,
                                                         const Responder& respond) {
                                 answer_reload(reload, store, request, respond);
                               }),
                    Scope::kAdmin});
  routes.back().runs_on = RunsOn::kWorker;  // It reads files.
  return routes;
}

}  // namespace cairn::api
