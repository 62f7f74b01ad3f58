#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/projections/projection_json.h"
#include "api/projections/projection_problem.h"
#include "api/projections/projection_route.h"
#include "api/projections/projection_routes.h"
#include "api/projections/projection_service.h"
#include "api/serving/query_reader.h"
#include "api/serving/route_tools.h"

namespace cairn::api {

namespace {

HttpResponse deployed(ProjectionDaemon& daemon, const ProjectionDraft& draft) {
  const ProjectionOutcome outcome = daemon.deploy(draft);
  if (const auto* refusal = std::get_if<ProjectionRefusal>(&outcome)) {
    return projection_refusal(daemon, draft.name, *refusal).to_response();
  }
  const auto& deployment = std::get<ProjectionDeployment>(outcome);
  return json_response(deployment.unchanged ? 200 : 201, to_json(deployment, daemon.status(draft.name)));
}

void deploy(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  ProjectionDraft draft;
  draft.name = request.parameters.at("name");
  if (const auto file = query.name("file")) draft.file = *file;
  draft.keep_rows = query.flag("keepRows");
  if (const auto problem = query.problem()) return respond(problem->to_response());
  if (!is_projection_name(draft.name)) {
    return respond(invalid_request("The name of a projection has 1 to 64 letters, digits, '_', '-' and '.', "
                                   "and does not begin with '.'.",
                                   "name")
                       .to_response());
  }
  if (const auto problem = check_script(request)) return respond(problem->to_response());

  draft.source = request.body;
  service.changes().answer(
      respond, [&daemon = service.daemon(), draft = std::move(draft)] { return deployed(daemon, draft); });
}

void remove(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (const auto problem = query.problem()) return respond(problem->to_response());
  service.changes().answer(respond, [&daemon = service.daemon(), name = request.parameters.at("name")] {
    const Status removed = daemon.remove(name);
    if (!removed.ok()) return projection_problem(daemon, name, removed.error()).to_response();
    HttpResponse response;
    response.status = 204;
    return response;
  });
}

void list_projections(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (const auto problem = query.problem()) return respond(problem->to_response());
  std::string json = R"({"projections":[)";
  for (const ProjectionStatus& status : service.daemon().list()) {
    if (!json.ends_with('[')) json += ',';
    append_status_json(json, status);
  }
  respond(json_response(200, json + "]}"));
}

void show_projection(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (const auto problem = query.problem()) return respond(problem->to_response());
  const std::string& name = request.parameters.at("name");
  const auto status = service.daemon().status(name);
  if (!status) return respond(not_found("projection", name).to_response());
  const auto definition = service.daemon().definition(name);
  std::string json;
  append_status_json(json, *status, definition ? &definition->source : nullptr);
  respond(json_response(200, std::move(json)));
}

}  // namespace

std::vector<Route> projection_routes(const RouteContext& context) {
  const auto handled = [&slot = context.store](ProjectionHandler handle) {
    return with_projections(slot, handle);
  };
  std::vector<Route> routes;
  routes.push_back({"GET", "/projections", handled(&list_projections)});
  routes.push_back({"GET", "/projections/{name}", handled(&show_projection)});
  routes.push_back({"PUT", "/projections/{name}", handled(&deploy), Scope::kAdmin});
  routes.push_back({"DELETE", "/projections/{name}", handled(&remove), Scope::kAdmin});
  return routes;
}

}  // namespace cairn::api
