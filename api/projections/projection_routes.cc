#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/projections/projection_json.h"
#include "api/projections/projection_problem.h"
#include "api/projections/projection_route.h"
#include "api/projections/projection_routes.h"
#include "api/projections/projection_service.h"
#include "api/projections/projection_try.h"
#include "api/serving/query_reader.h"
#include "api/serving/refusal_audit.h"
#include "api/serving/route_tools.h"
#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

HttpResponse deployed(const StoreSlot& slot, SchemaPolicy policy, ReadModels& models,
                      const ProjectionDraft& draft, const RefusalAudit& audit) {
  const auto deployment = models.deploy(draft);
  if (!deployment) {
    const Problem problem = projection_refusal(models, draft.name, deployment.error());
    audit.note(problem);
    return problem.to_response();
  }
  const auto warnings = deploy_warnings(slot, policy, draft.source, deployment->definition.file());
  return json_response(deployment->unchanged ? 200 : 201,
                       to_json(*deployment, models.status(draft.name), warnings));
}

void deploy(const StoreSlot& slot, SchemaPolicy policy, ProjectionService& service,
            const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  ProjectionDraft draft;
  draft.name = request.parameters.at("name");
  if (const auto file = query.name("file")) draft.file = *file;
  draft.keep_rows = query.flag("keepRows");
  if (refused(query.finish(), respond)) return;
  if (const Status named = check_new_projection_name(draft.name); !named) {
    return respond(invalid_request(sentence(named.error().message), "name").to_response());
  }
  if (refused(check_script(request), respond)) return;

  draft.source = request.body;
  draft.origin = origin_of(request);
  service.changes().answer(respond, [&slot, policy, &models = service.models(), draft = std::move(draft),
                                     audit = RefusalAudit(*slot.store(), request)] {
    return deployed(slot, policy, models, draft, audit);
  });
}

void remove(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (refused(query.finish(), respond)) return;
  service.changes().answer(respond, [&models = service.models(), name = request.parameters.at("name"),
                                     origin = origin_of(request)] {
    const Status removed = models.remove(name, origin);
    if (!removed.ok()) return projection_problem(models, name, removed.error()).to_response();
    HttpResponse response;
    response.status = 204;
    return response;
  });
}

void list_projections(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (refused(query.finish(), respond)) return;
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.begin_array("projections");
  for (const ProjectionStatus& status : service.models().list()) {
    json.element();
    append_status_json(text, status);
  }
  json.end_array();
  json.end_object();
  respond(json_response(200, std::move(text)));
}

void show_projection(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (refused(query.finish(), respond)) return;
  const std::string& name = request.parameters.at("name");
  const auto status = service.models().status(name);
  if (!status) return respond(not_found("projection", name).to_response());
  const auto definition = service.models().definition(name);
  std::string json;
  append_status_json(json, *status, definition ? &definition->source : nullptr);
  respond(json_response(200, std::move(json)));
}

}  // namespace

std::vector<Route> projection_routes(const RouteContext& context) {
  const auto handled = [&slot = context.store](ProjectionHandler handle) {
    return with_projections(slot, std::move(handle));
  };
  const auto deploying = [&slot = context.store, policy = context.schemas](
                             ProjectionService& service, const HttpRequest& request,
                             const Responder& respond) { deploy(slot, policy, service, request, respond); };
  std::vector<Route> routes;
  routes.push_back({"GET", "/projections", handled(&list_projections)});
  routes.push_back({"GET", "/projections/{name}", handled(&show_projection)});
  routes.push_back({"PUT", "/projections/{name}", handled(deploying), Scope::kAdmin});
  routes.push_back({"DELETE", "/projections/{name}", handled(&remove), Scope::kAdmin});
  return routes;
}

}  // namespace cairn::api
