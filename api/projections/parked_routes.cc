#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/projections/parked_json.h"
#include "api/projections/projection_problem.h"
#include "api/projections/projection_route.h"
#include "api/projections/projection_routes.h"
#include "api/projections/projection_service.h"
#include "api/serving/query_reader.h"
#include "api/serving/route_tools.h"
#include "eventstore/base/limits.h"
#include "eventstore/json/json_check.h"
#include "eventstore/json/json_cursor.h"

namespace cairn::api {

namespace {

constexpr std::size_t kLimit = 100;
constexpr std::ptrdiff_t kReasonCharactersMax = 1'000;

// The characters of valid UTF-8: the bytes that do not continue a character.
std::ptrdiff_t characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

Problem wrong_reason() {
  return invalid_request("reason must be a text of 1 to 1,000 characters that says why the event is skipped.",
                         "reason");
}

// Reads {"reason":"…"}: why an event is skipped, in 1 to 1,000 characters.
Answered<std::string> read_skip_reason(std::string_view body) {
  if (const auto fault = check_json(body)) {
    return invalid_request(
        fmt::format("The body is not valid JSON: {}, at byte {}.", fault->message, fault->offset), "body");
  }
  JsonCursor cursor(body);
  if (cursor.kind() != JsonKind::kObject) {
    return invalid_request("The body must be an object with a reason.", "body");
  }
  std::optional<std::string> reason;
  cursor.enter_object();
  while (const auto name = cursor.next_name()) {
    if (*name != "reason") return invalid_request(*name + " is not a field of a skip.", *name);
    if (cursor.kind() != JsonKind::kString) return wrong_reason();
    reason = cursor.take_string();
  }
  if (!reason || reason->empty() || characters(*reason) > kReasonCharactersMax) return wrong_reason();
  return *std::move(reason);
}

void list(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  auto after = query.text("after").value_or("");
  const std::size_t limit = query.number("limit", 1, limits::kPageEventsMax).value_or(kLimit);
  if (refused(query.finish(), respond)) return;
  service.readers().answer(
      respond, [&service, name = request.parameters.at("name"), after = std::move(after), limit] {
        const auto parked = service.models().parked(name, after, limit);
        if (!parked) return projection_problem(service.models(), name, parked.error(), "after").to_response();
        return json_response(200, to_json(*parked));
      });
}

void show(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (refused(query.finish(), respond)) return;
  service.readers().answer(
      respond, [&service, name = request.parameters.at("name"), key = request.parameters.at("key")] {
        const auto entries = service.models().parked_key(name, key);
        if (!entries) return parked_problem(service.models(), name, key, entries.error()).to_response();
        if (entries->empty()) return not_found("parked", key).to_response();
        return json_response(200, parked_key_json(key, *entries));
      });
}

Result<RetryReport> retry(ProjectionService& service, const std::string& name,
                          const std::optional<std::string>& key, const RequestOrigin& origin) {
  CAIRN_TRY(ProjectionDaemon * daemon, service.builder(name));
  return daemon->retry(name, key, origin);
}

Result<RetryReport> skip(ProjectionService& service, const std::string& name, const std::string& key,
                         const std::string& reason, const RequestOrigin& origin) {
  CAIRN_TRY(ProjectionDaemon * daemon, service.builder(name));
  return daemon->skip(name, key, reason, origin);
}

void retry_all(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (refused(query.finish(), respond)) return;
  service.changes().answer(
      respond, [&service, name = request.parameters.at("name"), origin = origin_of(request)] {
        const auto report = retry(service, name, std::nullopt, origin);
        if (report) return json_response(200, to_json(*report));
        // A retry of everything succeeds when nothing is parked.
        const bool is_nothing = report.error().code == Errc::kNotFound && service.models().status(name);
        if (is_nothing) return json_response(200, to_json(RetryReport{}));
        return projection_problem(service.models(), name, report.error()).to_response();
      });
}

void retry_key(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (refused(query.finish(), respond)) return;
  service.changes().answer(respond, [&service, name = request.parameters.at("name"),
                                     key = request.parameters.at("key"), origin = origin_of(request)] {
    const auto report = retry(service, name, key, origin);
    if (!report) return parked_problem(service.models(), name, key, report.error()).to_response();
    return json_response(200, to_json(*report));
  });
}

void skip_key(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (refused(query.finish(), respond)) return;
  if (!has_content_type(request, "application/json")) {
    return respond(wrong_content_type("application/json").to_response());
  }
  auto reason = read_skip_reason(request.body);
  if (refused(reason, respond)) return;
  service.changes().answer(
      respond, [&service, name = request.parameters.at("name"), key = request.parameters.at("key"),
                reason = *std::move(reason), origin = origin_of(request)] {
        const auto report = skip(service, name, key, reason, origin);
        if (!report) return parked_problem(service.models(), name, key, report.error()).to_response();
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
          route("POST", "/{key}/skip", &skip_key, Scope::kAdmin)};
}

}  // namespace cairn::api
