#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/projections/parked_json.h"
#include "api/projections/projection_problem.h"
#include "api/projections/projection_route.h"
#include "api/projections/projection_routes.h"
#include "api/projections/projection_service.h"
#include "api/projections/skip_body.h"
#include "api/serving/query_reader.h"
#include "api/serving/route_tools.h"
#include "eventstore/base/limits.h"

namespace cairn::api {

namespace {

constexpr std::size_t kLimit = 100;

void list(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  auto after = query.text("after").value_or("");
  const std::size_t limit = query.number("limit", 1, limits::kPageEventsMax).value_or(kLimit);
  if (const auto problem = query.problem()) return respond(problem->to_response());
  service.readers().answer(respond, [&daemon = service.daemon(), name = request.parameters.at("name"),
                                     after = std::move(after), limit] {
    const auto parked = daemon.parked(name, after, limit);
    if (!parked) return projection_problem(daemon, name, parked.error(), "after").to_response();
    return json_response(200, to_json(*parked));
  });
}

void show(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (const auto problem = query.problem()) return respond(problem->to_response());
  service.readers().answer(respond, [&daemon = service.daemon(), name = request.parameters.at("name"),
                                     key = request.parameters.at("key")] {
    const auto entries = daemon.parked_key(name, key);
    if (!entries) return parked_problem(daemon, name, key, entries.error()).to_response();
    if (entries->empty()) return not_found("parked", key).to_response();
    return json_response(200, parked_key_json(key, *entries));
  });
}

void retry_all(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (const auto problem = query.problem()) return respond(problem->to_response());
  service.changes().answer(respond, [&daemon = service.daemon(), name = request.parameters.at("name")] {
    const auto report = daemon.retry(name, std::nullopt);
    if (report) return json_response(200, to_json(*report));
    // Nothing parked is what whoever tries everything again hopes for.
    const bool is_nothing = report.error().code == Errc::kNotFound && daemon.status(name);
    if (is_nothing) return json_response(200, to_json(RetryReport{}));
    return projection_problem(daemon, name, report.error()).to_response();
  });
}

void retry_key(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (const auto problem = query.problem()) return respond(problem->to_response());
  service.changes().answer(respond, [&daemon = service.daemon(), name = request.parameters.at("name"),
                                     key = request.parameters.at("key")] {
    const auto report = daemon.retry(name, key);
    if (!report) return parked_problem(daemon, name, key, report.error()).to_response();
    return json_response(200, to_json(*report));
  });
}

void skip(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (const auto problem = query.problem()) return respond(problem->to_response());
  if (!has_content_type(request, "application/json")) {
    return respond(wrong_content_type("application/json").to_response());
  }
  auto reason = read_skip_reason(request.body);
  if (const auto* problem = std::get_if<Problem>(&reason)) return respond(problem->to_response());
  service.changes().answer(
      respond, [&daemon = service.daemon(), name = request.parameters.at("name"),
                key = request.parameters.at("key"), reason = std::get<std::string>(std::move(reason))] {
        const auto report = daemon.skip(name, key, reason);
        if (!report) return parked_problem(daemon, name, key, report.error()).to_response();
        return json_response(200, to_json(*report));
      });
}

}  // namespace

std::vector<Route> parked_routes(const RouteContext& context) {
  const auto route = [&slot = context.store](std::string method, const std::string& what,
                                             ProjectionHandler handle, Scope scope) {
    return Route{std::move(method), "/projections/{name}/parked" + what, with_projections(slot, handle),
                 scope};
  };
  return {route("GET", "", &list, Scope::kRead), route("GET", "/{key}", &show, Scope::kRead),
          route("POST", "/retry", &retry_all, Scope::kAdmin),
          route("POST", "/{key}/retry", &retry_key, Scope::kAdmin),
          route("POST", "/{key}/skip", &skip, Scope::kAdmin)};
}

}  // namespace cairn::api
