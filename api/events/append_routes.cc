#include <fmt/format.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/events/append_attempt.h"
#include "api/events/append_body.h"
#include "api/events/event_json.h"
#include "api/events/event_routes.h"
#include "api/events/query_items.h"
#include "api/registry/registry_service.h"
#include "api/serving/query_reader.h"
#include "api/serving/route_tools.h"
#include "api/serving/store_problem.h"
#include "eventstore/base/limits.h"
#include "eventstore/base/names.h"
#include "eventstore/event_store.h"
#include "eventstore/json/json_cursor.h"
#include "eventstore/json/json_writer.h"
#include "upcasters/event_shapes.h"

namespace cairn::api {

namespace {

constexpr std::string_view kJsonType = "application/json";
constexpr std::string_view kFramedAvroType = "application/vnd.confluent.avro";
constexpr std::string_view kBytesType = "application/octet-stream";

Answered<void> check_streams(const HttpRequest& request, const AppendBody& body) {
  for (const StreamAppend& append : body.request.streams) {
    if (is_system_stream(append.stream)) {
      return forbidden("The stream '" + append.stream +
                       "' is reserved: names that begin with '$' belong to Cairn.");
    }
    CAIRN_CHECK(check_category(request, category_of(append.stream)));
  }
  if (body.condition) CAIRN_CHECK(check_items(request, body.condition->items));
  return {};
}

HttpResponse one_result(const AppendResult& result) {
  std::string json;
  append_result_json(json, result.streams.front(), result.already_applied);
  return json_response(result.already_applied ? 200 : 201, std::move(json));
}

HttpResponse all_results(const AppendResult& result) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.begin_array("results");
  for (const StreamAppendResult& stream : result.streams) {
    json.element();
    append_result_json(text, stream, result.already_applied);
  }
  json.end_array();
  json.end_object();
  return json_response(result.already_applied ? 200 : 201, std::move(text));
}

constexpr AppendReply kOneStream = {one_result, store_problem};
constexpr AppendReply kSeveralStreams = {all_results,
                                         [](const Error& error) { return store_problem_of_several(error); }};

AddedMetadata added_by(const HttpRequest& request) { return {.trace_parent = trace_parent_json(request)}; }

// "3", "any" or "exists", as in a body.
std::optional<ExpectedVersion> parse_expected(const std::string& text) {
  if (text == "any") return ExpectedVersion::any();
  if (text == "exists") return ExpectedVersion::exists();
  const auto version = json_whole_number(text);
  if (!version) return std::nullopt;
  return ExpectedVersion::exactly(*version);
}

// What the query says of an event whose body has nothing but its data.
struct EventOfQuery {
  std::string type;
  std::optional<Uuid> id;
  ExpectedVersion expected = ExpectedVersion::any();
  std::string content_type;  // for opaque data only
  std::optional<GlobalPosition> caused_by;
};

enum class BodyKind { kFramedAvro, kOpaque };

Answered<EventOfQuery> parse_event_query(const HttpRequest& request, BodyKind kind) {
  QueryReader query(request);
  const auto type = query.text("type");
  const auto id_text = query.text("id");
  const auto expected_text = query.text("expectedVersion");
  const auto caused_by = query.number("causedBy", 1, std::numeric_limits<std::uint64_t>::max());
  const auto content_type = kind == BodyKind::kOpaque ? query.text("contentType") : std::nullopt;
  CAIRN_CHECK(query.finish());
  if (!type || type->empty()) return invalid_request("type is missing or empty.", "type");
  const auto expected = parse_expected(expected_text.value_or("any"));
  if (!expected) {
    return invalid_request("expectedVersion must be a whole number from 0 on, any or exists.",
                           "expectedVersion");
  }
  const auto id = id_text ? Uuid::parse(*id_text) : std::nullopt;
  if (id_text && !id) return invalid_request("id must be a UUID.", "id");
  if (content_type && (content_type->empty() || content_type->size() > limits::kContentTypeBytesMax ||
                       !is_printable_name(*content_type))) {
    return invalid_request(
        fmt::format("contentType must be 1 to {} bytes of printable UTF-8.", limits::kContentTypeBytesMax),
        "contentType");
  }
  EventOfQuery event{*type, id, *expected, content_type.value_or(std::string(kBytesType)), std::nullopt};
  if (caused_by) event.caused_by = GlobalPosition{*caused_by};
  return event;
}

Answered<AppendBody> parse_framed(const HttpRequest& request, EventCodecs& codecs) {
  CAIRN_TRY(const EventOfQuery event, parse_event_query(request, BodyKind::kFramedAvro));
  CAIRN_TRY(AppendBody body,
            read_framed_event(request.parameters.at("stream"), event.type, request.body, codecs));
  StreamAppend& append = body.request.streams.front();
  append.expected = event.expected;
  append.events.front().id = event.id;
  body.caused_by = event.caused_by;
  return body;
}

AppendBody opaque_body(const std::string& stream, const EventOfQuery& event, std::string_view bytes) {
  AppendBody body;
  NewEvent opaque{
      .id = event.id, .type = event.type, .data = std::string(bytes), .content_type = event.content_type};
  body.request.streams.push_back(
      {.stream = stream, .expected = event.expected, .events = {std::move(opaque)}});
  body.schema_versions.push_back(0);
  body.caused_by = event.caused_by;
  return body;
}

void append_framed(const RouteContext& context, EventStore& store, const HttpRequest& request,
                   const Responder& respond) {
  RegistryService& registry = *context.store.registry_service();
  const auto attempt = std::make_shared<AppendAttempt>(
      AppendAttempt::Parts{store, registry, *context.store.shapes(), context.schemas, kOneStream,
                           request.token, respond, nullptr, added_by(request)});
  auto body = parse_framed(request, registry.codecs());
  if (refused(body, respond)) return;
  if (refused(check_streams(request, *body), respond)) return;
  attempt->start(*std::move(body), "");
}

void append_json(const RouteContext& context, EventStore& store, const HttpRequest& request,
                 const Responder& respond, const AppendReply& reply,
                 std::function<Answered<AppendBody>(std::string_view)> parse) {
  QueryReader query(request);
  if (refused(query.finish(), respond)) return;
  auto body = parse(request.body);
  if (refused(body, respond)) return;
  if (refused(check_streams(request, *body), respond)) return;
  const auto attempt = std::make_shared<AppendAttempt>(
      AppendAttempt::Parts{store, *context.store.registry_service(), *context.store.shapes(), context.schemas,
                           reply, request.token, respond, std::move(parse), added_by(request)});
  attempt->start(*std::move(body), request.body);
}

void append_opaque(const RouteContext& context, EventStore& store, const HttpRequest& request,
                   const Responder& respond) {
  auto event = parse_event_query(request, BodyKind::kOpaque);
  if (refused(event, respond)) return;
  const auto parse = [stream = request.parameters.at("stream"),
                      event = *std::move(event)](std::string_view bytes) {
    return Answered<AppendBody>(opaque_body(stream, event, bytes));
  };
  auto body = parse(request.body);
  if (refused(check_streams(request, *body), respond)) return;
  const auto attempt = std::make_shared<AppendAttempt>(
      AppendAttempt::Parts{store, *context.store.registry_service(), *context.store.shapes(), context.schemas,
                           kOneStream, request.token, respond, parse, added_by(request)});
  attempt->start(*std::move(body), request.body);
}

}  // namespace

std::vector<Route> append_routes(const RouteContext& context) {
  std::vector<Route> routes;
  routes.push_back(
      {"POST", "/streams/{stream}/events",
       with_store(context.store,
                  [context](EventStore& store, const HttpRequest& request, const Responder& respond) {
                    if (has_content_type(request, kFramedAvroType))
                      return append_framed(context, store, request, respond);
                    if (has_content_type(request, kBytesType))
                      return append_opaque(context, store, request, respond);
                    if (!has_content_type(request, kJsonType)) {
                      return respond(wrong_content_type("application/json, " + std::string(kFramedAvroType) +
                                                        " or " + std::string(kBytesType))
                                         .to_response());
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
  for (Route& route : routes) {
    route.runs_on = RunsOn::kWorkerIfLarge;
    route.work = WorkKind::kAppend;
  }
  return routes;
}

}  // namespace cairn::api
