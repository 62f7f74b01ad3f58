#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "api/projections/projection_json.h"
#include "api/projections/projection_problem.h"
#include "api/projections/projection_route.h"
#include "api/projections/projection_routes.h"
#include "api/projections/projection_service.h"
#include "api/serving/query_reader.h"
#include "api/serving/refusal_audit.h"
#include "api/serving/route_tools.h"

namespace cairn::api {

namespace {

using Change = std::function<Result<ProjectionStatus>(ProjectionDaemon& daemon, const std::string& name,
                                                      const RequestOrigin& origin)>;

// 202: the change has begun, and the status shows its progress.
void answer_later(const StoreSlot& slot, ProjectionService& service, const HttpRequest& request,
                  const Responder& respond, Change change) {
  service.changes().answer(
      respond, [&service, name = request.parameters.at("name"), change = std::move(change),
                origin = origin_of(request), audit = RefusalAudit(*slot.store(), request)] {
        const auto run = [&]() -> Result<ProjectionStatus> {
          CAIRN_TRY(ProjectionDaemon * daemon, service.builder(name));
          return change(*daemon, name, origin);
        };
        const auto status = run();
        if (!status) {
          const Problem problem = projection_problem(service.models(), name, status.error());
          audit.note(problem);
          return problem.to_response();
        }
        return json_response(202, to_json(*status));
      });
}

// A change that has no parameter but the name.
ProjectionHandler handler_of(const StoreSlot& slot, Change change) {
  return [&slot, change = std::move(change)](ProjectionService& service, const HttpRequest& request,
                                             const Responder& respond) {
    QueryReader query(request);
    if (refused(query.finish(), respond)) return;
    answer_later(slot, service, request, respond, change);
  };
}

Result<ProjectionStatus> verify(ProjectionDaemon& daemon, const std::string& name, const RequestOrigin&) {
  return daemon.verify(name);
}

ProjectionHandler rebuild_handler(const StoreSlot& slot) {
  return [&slot](ProjectionService& service, const HttpRequest& request, const Responder& respond) {
    QueryReader query(request);
    const auto at_most = query.number("eventsPerSecond", 1, std::numeric_limits<std::uint64_t>::max());
    if (refused(query.finish(), respond)) return;
    answer_later(slot, service, request, respond,
                 [at_most](ProjectionDaemon& daemon, const std::string& name, const RequestOrigin& origin) {
                   return daemon.rebuild(name, at_most, origin);
                 });
  };
}

void show_verification(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (refused(query.finish(), respond)) return;
  const std::string& name = request.parameters.at("name");
  if (!service.models().status(name)) return respond(not_found("projection", name).to_response());
  const auto daemon = service.builder(name);
  const auto report = daemon ? (*daemon)->verify_report(name) : std::nullopt;
  if (!report) return respond(not_found("verification", name).to_response());
  respond(json_response(200, to_json(name, *report)));
}

}  // namespace

std::vector<Route> projection_control_routes(const RouteContext& context) {
  const StoreSlot& slot = context.store;
  const auto route = [&slot](std::string method, const std::string& what, ProjectionHandler handle,
                             Scope scope) {
    return Route{std::move(method), "/projections/{name}/" + what, with_projections(slot, handle), scope};
  };
  return {route("POST", "rebuild", rebuild_handler(slot), Scope::kAdmin),
          route("POST", "cancel", handler_of(slot, &ProjectionDaemon::cancel), Scope::kAdmin),
          route("POST", "rollback", handler_of(slot, &ProjectionDaemon::rollback), Scope::kAdmin),
          route("POST", "pause", handler_of(slot, &ProjectionDaemon::pause), Scope::kAdmin),
          route("POST", "resume", handler_of(slot, &ProjectionDaemon::resume), Scope::kAdmin),
          route("POST", "verify", handler_of(slot, &verify), Scope::kAdmin),
          route("GET", "verify", &show_verification, Scope::kRead)};
}

}  // namespace cairn::api
