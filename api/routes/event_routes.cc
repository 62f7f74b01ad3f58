#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/events/event_feed.h"
#include "api/events/event_json.h"
#include "api/events/event_walk.h"
#include "api/events/store_problem.h"
#include "api/routes/query_reader.h"
#include "api/routes/route_tools.h"
#include "api/routes/routes.h"
#include "eventstore/base/limits.h"
#include "eventstore/json/json_cursor.h"
#include "eventstore/json/json_text.h"

namespace cairn::api {

namespace {

constexpr std::uint64_t kAnyNumber = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kDefaultLimit = 100;

// A page ends early rather than make a larger answer; `next` says where to go on.
constexpr std::size_t kPageBytes = 4u << 20;

enum class Form { kPage, kLines, kServerSent };

// What the client would rather have. Everything else gets a page of JSON.
Form wanted_form(const HttpRequest& request) {
  const std::string_view accept = request.header("Accept").value_or("");
  if (accept.find("text/event-stream") != std::string_view::npos) return Form::kServerSent;
  if (accept.find("application/x-ndjson") != std::string_view::npos) return Form::kLines;
  return Form::kPage;
}

// What questions for events have in common.
struct Wanted {
  Form form = Form::kPage;
  std::optional<std::uint64_t> from;
  std::uint64_t limit = kDefaultLimit;
  Direction direction = Direction::kForward;
  std::optional<std::uint64_t> last_event_id;  // a client comes back and has everything up to here
};

Wanted read_wanted(const HttpRequest& request, QueryReader& query) {
  Wanted wanted;
  wanted.form = wanted_form(request);
  wanted.from = query.number("from", 1, kAnyNumber);
  const bool page = wanted.form == Form::kPage;
  wanted.limit = query.number("limit", 1, page ? limits::kPageEventsMax : kAnyNumber)
                     .value_or(page ? kDefaultLimit : kAnyNumber);
  if (query.word("direction", {"forward", "backward"}) == "backward") wanted.direction = Direction::kBackward;
  // Events come in the shape they were stored in.
  query.word("shape", {"latest", "stored"});
  return wanted;
}

// What only makes sense together.
std::optional<Problem> check(const HttpRequest& request, Wanted& wanted) {
  if (wanted.form != Form::kServerSent) return std::nullopt;
  if (wanted.direction == Direction::kBackward) {
    return invalid_request("Server-sent events go forward only.", "direction");
  }
  if (const auto id = request.header("Last-Event-ID")) {
    wanted.last_event_id = json_whole_number(*id);
    if (!wanted.last_event_id || *wanted.last_event_id == kAnyNumber) {
      return invalid_request("Last-Event-ID must be the position of an event.", "Last-Event-ID");
    }
  }
  return std::nullopt;
}

// What answers are made from.
struct Source {
  EventStore& store;
  EventCodecs& codecs;
  NewsBell& bell;
};

Status append_events(std::string& json, const EventPage& events, EventCodecs& codecs) {
  json += R"("events":[)";
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i > 0) json += ',';
    CAIRN_CHECK(append_event_json(json, events[i], codecs));
  }
  json += ']';
  return {};
}

void append_next(std::string& json, std::optional<std::uint64_t> next) {
  json += R"(,"next":)";
  if (next) {
    append_number(json, *next);
  } else {
    json += "null";
  }
}

HttpResponse feed(std::unique_ptr<EventWalk> walk, const Wanted& wanted, const Source& source) {
  const bool lines = wanted.form == Form::kLines;
  HttpResponse response;
  response.content_type = lines ? "application/x-ndjson" : "text/event-stream";
  response.stream =
      std::make_shared<EventFeed>(std::move(walk), lines ? FeedFormat::kLines : FeedFormat::kServerSent,
                                  wanted.limit, source.store.head(), source.bell, source.codecs);
  return response;
}

HttpResponse log_page(const Source& source, const LogQuery& query) {
  const auto page = source.store.read_log(query);
  if (!page) return store_problem(page.error()).to_response();
  std::string json = "{";
  if (const Status status = append_events(json, page->events, source.codecs); !status) {
    return store_problem(status.error()).to_response();
  }
  append_next(json, page->next ? std::optional(page->next->value) : std::nullopt);
  json += R"(,"head":)";
  append_number(json, page->head.value);
  json += '}';
  return json_response(200, std::move(json));
}

HttpResponse stream_page(const Source& source, const std::string& stream, const StreamQuery& query) {
  const auto page = source.store.read_stream(stream, query);
  if (!page) return store_problem(page.error()).to_response();
  std::string json = R"({"stream":)";
  append_json_string(json, stream);
  json += R"(,"version":)";
  append_number(json, page->version.value);
  json += ',';
  if (const Status status = append_events(json, page->events, source.codecs); !status) {
    return store_problem(status.error()).to_response();
  }
  append_next(json, page->next ? std::optional(page->next->value) : std::nullopt);
  json += '}';
  return json_response(200, std::move(json));
}

HttpResponse answer_log(const Source& source, const HttpRequest& request) {
  QueryReader query(request);
  Wanted wanted = read_wanted(request, query);
  LogQuery log{.direction = wanted.direction, .filter = {}};
  log.filter.categories = query.list("category");
  log.filter.types = query.list("type");
  if (const auto problem = query.problem()) return problem->to_response();
  if (const auto problem = check(request, wanted)) return problem->to_response();
  if (const auto problem = check_categories(request, log.filter.categories)) return problem->to_response();

  if (wanted.from) log.from = GlobalPosition{*wanted.from};
  if (wanted.last_event_id) log.from = GlobalPosition{*wanted.last_event_id + 1};
  if (wanted.form != Form::kPage) return feed(walk_log(source.store, std::move(log)), wanted, source);
  log.limit = wanted.limit;
  log.bytes_max = kPageBytes;
  return log_page(source, log);
}

HttpResponse answer_stream(const Source& source, const HttpRequest& request) {
  EventStore& store = source.store;
  const std::string& stream = request.parameters.at("stream");
  QueryReader query(request);
  Wanted wanted = read_wanted(request, query);
  if (const auto problem = query.problem()) return problem->to_response();
  if (const auto problem = check(request, wanted)) return problem->to_response();
  if (const auto problem = check_category(request, category_of(stream))) return problem->to_response();

  StreamQuery versions{.from = {}, .direction = wanted.direction};
  if (wanted.from) versions.from = StreamVersion{*wanted.from};
  if (wanted.form == Form::kPage) {
    versions.limit = wanted.limit;
    versions.bytes_max = kPageBytes;
    return stream_page(source, stream, versions);
  }
  // Before the first byte goes out an error can still be told.
  const auto info = store.stream_info(stream);
  if (!info) return store_problem(info.error()).to_response();
  if (!*info) return not_found("stream", stream).to_response();
  if (wanted.last_event_id) {
    const auto behind = first_version_behind(store, stream, {*wanted.last_event_id});
    if (!behind) return store_problem(behind.error()).to_response();
    versions.from = *behind;
  }
  return feed(walk_stream(store, stream, versions), wanted, source);
}

}  // namespace

std::vector<Route> event_routes(const RouteContext& context) {
  const auto with_source = [&context](HttpResponse (*answer)(const Source&, const HttpRequest&)) {
    return with_store(context.store,
                      [&slot = context.store, &bell = context.news, answer](
                          EventStore& store, const HttpRequest& request, const Responder& respond) {
                        respond(answer({store, slot.registry_service()->codecs(), bell}, request));
                      });
  };
  std::vector<Route> routes;
  routes.push_back({"GET", "/streams/{stream}/events", with_source(&answer_stream)});
  routes.push_back({"GET", "/events", with_source(&answer_log)});
  return routes;
}

}  // namespace cairn::api
