#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/events/append_attempt.h"
#include "api/events/append_body.h"
#include "api/events/event_json.h"
#include "api/events/event_routes.h"
#include "api/registry/registry_service.h"
#include "api/serving/query_reader.h"
#include "api/serving/route_tools.h"
#include "api/serving/store_problem.h"
#include "eventstore/event_store.h"
#include "eventstore/json/json_cursor.h"
#include "upcasters/event_shapes.h"

namespace cairn::api {

namespace {

constexpr std::string_view kJsonType = "application/json";
constexpr std::string_view kFramedAvroType = "application/vnd.confluent.avro";

using Parsed = std::variant<AppendBody, Problem>;

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

constexpr AppendManner kOneStream = {one_result, store_problem};
constexpr AppendManner kSeveralStreams = {all_results,
                                          [](const Error& error) { return store_problem_of_several(error); }};

// "3", "any" or "exists", as in a body.
std::optional<ExpectedVersion> parse_expected(const std::string& text) {
  if (text == "any") return ExpectedVersion::any();
  if (text == "exists") return ExpectedVersion::exists();
  const auto version = json_whole_number(text);
  if (!version) return std::nullopt;
  return ExpectedVersion::exactly(*version);
}

// What is no part of a framed value stands in the query.
Parsed parse_framed(const HttpRequest& request, EventCodecs& codecs) {
  QueryReader query(request);
  const auto type = query.text("type");
  const auto id_text = query.text("id");
  const auto expected_text = query.text("expectedVersion");
  if (auto problem = query.problem()) return *std::move(problem);
  if (!type || type->empty()) return invalid_request("type is missing or empty.", "type");
  const auto expected = parse_expected(expected_text.value_or("any"));
  if (!expected) {
    return invalid_request("expectedVersion must be a whole number from 0 on, any or exists.",
                           "expectedVersion");
  }
  const auto id = id_text ? Uuid::parse(*id_text) : std::nullopt;
  if (id_text && !id) return invalid_request("id must be a UUID.", "id");
  Parsed parsed = read_framed_event(request.parameters.at("stream"), *type, request.body, codecs);
  if (auto* body = std::get_if<AppendBody>(&parsed)) {
    StreamAppend& append = body->request.streams.front();
    append.expected = *expected;
    append.events.front().id = id;
  }
  return parsed;
}

void append_framed(const RouteContext& context, EventStore& store, const HttpRequest& request,
                   const Responder& respond) {
  RegistryService& registry = *context.store.registry_service();
  Parsed parsed = parse_framed(request, registry.codecs());
  if (auto* problem = std::get_if<Problem>(&parsed)) return respond(problem->to_response());
  auto& body = std::get<AppendBody>(parsed);
  if (const auto problem = check_streams(request, body)) return respond(problem->to_response());
  const auto attempt = std::make_shared<AppendAttempt>(
      AppendAttempt::Parts{store, registry, *context.store.shapes(), context.schemas, kOneStream,
                           request.token, respond, nullptr});
  attempt->start(std::move(body), "");
}

void append_json(const RouteContext& context, EventStore& store, const HttpRequest& request,
                 const Responder& respond, const AppendManner& manner,
                 std::function<Parsed(std::string_view)> parse) {
  QueryReader query(request);
  if (const auto problem = query.problem()) return respond(problem->to_response());
  Parsed parsed = parse(request.body);
  if (auto* problem = std::get_if<Problem>(&parsed)) return respond(problem->to_response());
  auto& body = std::get<AppendBody>(parsed);
  if (const auto problem = check_streams(request, body)) return respond(problem->to_response());
  const auto attempt = std::make_shared<AppendAttempt>(
      AppendAttempt::Parts{store, *context.store.registry_service(), *context.store.shapes(), context.schemas,
                           manner, request.token, respond, std::move(parse)});
  attempt->start(std::move(body), request.body);
}

}  // namespace

std::vector<Route> append_routes(const RouteContext& context) {
  std::vector<Route> routes;
  routes.push_back(
      {"POST", "/streams/{stream}/events",
       with_store(
           context.store,
           [context](EventStore& store, const HttpRequest& request, const Responder& respond) {
             if (has_content_type(request, kFramedAvroType))
               return append_framed(context, store, request, respond);
             if (!has_content_type(request, kJsonType)) {
               return respond(
                   wrong_content_type("application/json or " + std::string(kFramedAvroType)).to_response());
             }
             append_json(context, store, request, respond, kOneStream,
                         [stream = request.parameters.at("stream")](std::string_view body) {
                           return parse_stream_append(stream, body);
                         });
           }),
       Scope::kAppend});
  routes.push_back(
      {"POST", "/append",
       with_store(context.store,
                  [context](EventStore& store, const HttpRequest& request, const Responder& respond) {
                    if (!has_content_type(request, kJsonType)) {
                      return respond(wrong_content_type(kJsonType).to_response());
                    }
                    append_json(context, store, request, respond, kSeveralStreams, parse_append);
                  }),
       Scope::kAppend});
  return routes;
}

}  // namespace cairn::api
