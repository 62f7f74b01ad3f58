#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/events/append_body.h"
#include "api/events/event_json.h"
#include "api/events/store_problem.h"
#include "api/routes/query_reader.h"
#include "api/routes/route_tools.h"
#include "api/routes/routes.h"

namespace cairn::api {

namespace {

constexpr std::string_view kJsonType = "application/json";

// A page in a browser can send other types anywhere without being asked, but not this one.
std::optional<Problem> check_content_type(const HttpRequest& request) {
  const std::string_view type = media_type(request.header("Content-Type").value_or(""));
  if (same_header_name(type, kJsonType)) return std::nullopt;
  return Problem(415, "unsupported-media-type", "Unsupported media type",
                 "Send the body as " + std::string(kJsonType) + ".");
}

std::optional<Problem> check_streams(const HttpRequest& request, const AppendBody& body) {
  for (const StreamAppend& append : body.request.streams) {
    if (is_system_stream(append.stream)) {
      return forbidden("The stream '" + append.stream +
                       "' is reserved: names that begin with '$' are Cairn's own.");
    }
    if (auto problem = check_category(request, category_of(append.stream))) return problem;
  }
  return std::nullopt;
}

// The ids a client gave its events, to send again what may or may not have been stored.
std::vector<Uuid> client_ids(const AppendRequest& request) {
  std::vector<Uuid> ids;
  for (const StreamAppend& append : request.streams) {
    for (const NewEvent& event : append.events) {
      if (event.id) ids.push_back(*event.id);
    }
  }
  return ids;
}

std::string to_json(const std::vector<Uuid>& ids) {
  std::string json = "[";
  for (const Uuid& id : ids) json += (json.size() > 1 ? ",\"" : "\"") + id.to_string() + "\"";
  return json + "]";
}

// What may be told to whoever shows `token`: not in which stream beyond its reach an id stands.
Error told_to(const Token* token, Error error) {
  const bool hidden =
      error.code == Errc::kEventIdReused && token != nullptr && !token->may_touch(category_of(error.stream));
  if (!hidden) return error;
  error.message = "the id stands for an event that this token does not reach";
  error.stream.clear();
  error.version.reset();
  return error;
}

HttpResponse one_result(const AppendResult& result) {
  std::string json;
  append_result_json(json, result.streams.front(), result.already_applied);
  return json_response(result.already_applied ? 200 : 201, std::move(json));
}

HttpResponse all_results(const AppendResult& result) {
  std::string json = R"({"results":[)";
  for (std::size_t i = 0; i < result.streams.size(); ++i) {
    if (i > 0) json += ',';
    append_result_json(json, result.streams[i], result.already_applied);
  }
  json += "]}";
  return json_response(result.already_applied ? 200 : 201, std::move(json));
}

// How the two kinds of append answer.
struct Manner {
  HttpResponse (*success)(const AppendResult&);
  Problem (*failure)(const Error&);
};

constexpr Manner kOneStream = {one_result, store_problem};
constexpr Manner kSeveralStreams = {all_results,
                                    [](const Error& error) { return store_problem_of_several(error); }};

void append(EventStore& store, const HttpRequest& request, std::variant<AppendBody, Problem> parsed,
            SchemaPolicy schemas, const Manner& manner, const Responder& respond) {
  QueryReader query(request);
  if (const auto problem = query.problem()) return respond(problem->to_response());
  if (auto* problem = std::get_if<Problem>(&parsed)) return respond(problem->to_response());
  AppendBody& body = std::get<AppendBody>(parsed);
  if (const auto problem = check_streams(request, body)) return respond(problem->to_response());
  if (const auto problem = check_types(body, schemas)) return respond(problem->to_response());

  // Only a failed commit needs them, and then the request is gone.
  auto ids = client_ids(body.request);
  store.append_async(std::move(body.request), [respond, manner, token = request.token,
                                               ids = std::move(ids)](Result<AppendResult> result) {
    if (result.ok()) return respond(manner.success(*result));
    const Error error = told_to(token, std::move(result).error());
    Problem problem = manner.failure(error);
    if (error.code == Errc::kOutcomeUnknown) problem.with_json("eventIds", to_json(ids));
    respond(problem.to_response());
  });
}

}  // namespace

std::vector<Route> append_routes(const RouteContext& context) {
  std::vector<Route> routes;
  const SchemaPolicy schemas = context.schemas;
  routes.push_back(
      {"POST", "/streams/{stream}/events",
       with_store(context.store,
                  [schemas](EventStore& store, const HttpRequest& request, const Responder& respond) {
                    const std::string& stream = request.parameters.at("stream");
                    if (const auto problem = check_content_type(request))
                      return respond(problem->to_response());
                    append(store, request, parse_stream_append(stream, request.body), schemas, kOneStream,
                           respond);
                  }),
       Scope::kAppend});
  routes.push_back(
      {"POST", "/append",
       with_store(context.store,
                  [schemas](EventStore& store, const HttpRequest& request, const Responder& respond) {
                    if (const auto problem = check_content_type(request))
                      return respond(problem->to_response());
                    append(store, request, parse_append(request.body), schemas, kSeveralStreams, respond);
                  }),
       Scope::kAppend});
  return routes;
}

}  // namespace cairn::api
