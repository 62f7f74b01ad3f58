#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/events/event_cursor.h"
#include "api/events/event_feed.h"
#include "api/events/event_pages.h"
#include "api/events/event_routes.h"
#include "api/events/event_source.h"
#include "api/events/query_body.h"
#include "api/events/query_items.h"
#include "api/serving/query_reader.h"
#include "api/serving/route_tools.h"
#include "api/serving/store_problem.h"
#include "eventstore/base/limits.h"
#include "eventstore/event_store.h"
#include "eventstore/json/json_cursor.h"
#include "upcasters/event_shapes.h"

namespace cairn::api {

namespace {

constexpr std::uint64_t kAnyNumber = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kDefaultLimit = 100;

enum class Form { kPage, kLines, kServerSent };

// The format that the Accept header prefers; a page of JSON when it names none.
Form wanted_form(const HttpRequest& request) {
  const std::string_view accept = request.header("Accept").value_or("");
  if (accept.find("text/event-stream") != std::string_view::npos) return Form::kServerSent;
  if (accept.find("application/x-ndjson") != std::string_view::npos) return Form::kLines;
  return Form::kPage;
}

// The parameters that reads of a stream and of the log have in common.
struct Wanted {
  Form form = Form::kPage;
  std::optional<std::uint64_t> from;
  std::uint64_t limit = kDefaultLimit;
  WantedEvents events;
  bool unnamed = false;                        // server-sent events without the line `event:`
  std::optional<std::uint64_t> last_event_id;  // a reconnecting client has the events up to this position
};

// The parameters of the whole log: a filter, and a range of times.
EventFilter read_filter(QueryReader& query, WantedEvents& events) {
  EventFilter filter;
  filter.categories = query.list("category", limits::kFilterTermsMax);
  filter.tags = query.list("tag", limits::kFilterTermsMax);
  filter.correlation = query.filled_text("correlation").value_or("");
  filter.system = query.word("system", {"true", "false"}) == "true";
  events.types = query.list("type", limits::kFilterTermsMax);
  events.recorded_from = query.time("fromTime");
  events.recorded_until = query.time("untilTime");
  return filter;
}

Wanted read_wanted(const HttpRequest& request, QueryReader& query) {
  Wanted wanted;
  wanted.form = wanted_form(request);
  wanted.from = query.number("from", 1, kAnyNumber);
  const bool page = wanted.form == Form::kPage;
  wanted.limit = query.number("limit", 1, page ? limits::kPageEventsMax : kAnyNumber)
                     .value_or(page ? kDefaultLimit : kAnyNumber);
  if (query.word("direction", {"forward", "backward"}) == "backward") {
    wanted.events.direction = Direction::kBackward;
  }
  wanted.events.shape = query.shape("shape");
  // For other forms it is no parameter.
  if (wanted.form == Form::kServerSent) wanted.unnamed = query.word("sse", {"named", "plain"}) == "plain";
  return wanted;
}

// Checks the parameters that depend on each other, and reads Last-Event-ID.
Answered<void> check(const HttpRequest& request, Wanted& wanted) {
  if (wanted.events.recorded_from && wanted.events.recorded_until &&
      *wanted.events.recorded_until < *wanted.events.recorded_from) {
    return invalid_request("The parameter untilTime must not be before fromTime.", "untilTime");
  }
  if (wanted.form != Form::kServerSent) return {};
  if (wanted.events.direction == Direction::kBackward) {
    return invalid_request("Server-sent events go forward only.", "direction");
  }
  // Browsers would reconnect after the last event, again and again.
  if (wanted.events.recorded_until) {
    return invalid_request("Server-sent events have no end; read up to a time as pages or as NDJSON.",
                           "untilTime");
  }
  if (const auto id = request.header("Last-Event-ID")) {
    wanted.last_event_id = json_whole_number(*id);
    if (!wanted.last_event_id || *wanted.last_event_id == kAnyNumber) {
      return invalid_request("Last-Event-ID must be the position of an event.", "Last-Event-ID");
    }
  }
  return {};
}

Problem other_history(std::string detail) {
  return {409, "other-history", "The client knows another history", std::move(detail)};
}

// A follower that has events beyond the newest one knows another log than this one, most likely because an
// older copy was restored. Waiting until the log has grown that far would skip what is appended until then.
Answered<void> check_history(const EventStore& store, std::uint64_t last_event_id) {
  const std::uint64_t head = store.head().value;
  if (last_event_id <= head) return {};
  return other_history("The client has events up to position " + std::to_string(last_event_id) +
                       ", and the log ends at position " + std::to_string(head) + ".")
      .with("lastEventId", last_event_id)
      .with("head", head);
}

// The same for a stream that is followed from a version on.
Answered<void> check_history(const StreamInfo& stream, StreamVersion from) {
  const std::uint64_t version = stream.version.value;
  if (from.value - 1 <= version) return {};
  return other_history("The client has stream '" + stream.stream + "' up to version " +
                       std::to_string(from.value - 1) + ", and it is at version " + std::to_string(version) +
                       ".")
      .with("stream", stream.stream)
      .with("from", from.value)
      .with("currentVersion", version);
}

// Lines and server-sent events begin after the status was sent, so the index is checked before.
Answered<void> check_index(const EventStore& store, const LogQuery& query) {
  const bool looks_at_events =
      query.filter.looks_at_events() ||
      std::any_of(query.or_any_of.begin(), query.or_any_of.end(),
                  [](const EventFilter& filter) { return filter.looks_at_events(); });
  if (!looks_at_events) return {};
  const IndexProgress index = store.index_progress();
  if (index.complete()) return {};
  Error error = make_error(Errc::kNotYet, "the index of tags and correlations is being rebuilt");
  error.position = index.done.value;
  error.limit = index.total.value;
  return store_problem(error);
}

// Narrows the positions of a query to a range of times, so that what lies outside is not read. It may leave
// events outside of the range, which WantedEvents::covers() excludes: those that are appended from now on and
// recorded before the range begins, or after it ends.
Answered<void> narrow_to_times(EventStore& store, const WantedEvents& wanted, LogQuery& log) {
  const bool forward = log.direction == Direction::kForward;
  auto& lowest = forward ? log.from : log.until;
  auto& highest = forward ? log.until : log.from;
  if (wanted.recorded_from) {
    const auto first = store.first_recorded_at(*wanted.recorded_from);
    if (!first) return store_problem(first.error());
    lowest = std::max(lowest.value_or(GlobalPosition{1}), *first);
  }
  if (wanted.recorded_until) {
    const GlobalPosition head = store.head();
    const auto first = store.first_recorded_at(*wanted.recorded_until);
    if (!first) return store_problem(first.error());
    // Beyond the head, events can still be appended that are recorded before this time.
    if (*first <= head) {
      const GlobalPosition last{first->value - 1};
      highest = highest ? std::min(*highest, last) : last;
    }
  }
  return {};
}

// Clients name types as they are after shaping. A new upcaster may change which stored types that includes.
RenewFilter renew_types(const EventShapes& shapes, WantedEvents wanted) {
  if (wanted.types.empty() || wanted.shape == Shape::stored()) return {};
  return [&shapes, wanted = std::move(wanted), seen = shapes.upcasters().changes()](LogQuery& query) mutable {
    const std::uint64_t now = shapes.upcasters().changes();
    if (now == seen) return;
    query.filter.types = shapes.stored_types(wanted.types, wanted.shape);
    seen = now;
  };
}

// The same for the items of a query.
void set_items(LogQuery& query, EventQuery items) {
  query.filter = std::move(items.front());
  query.or_any_of.assign(std::make_move_iterator(items.begin() + 1), std::make_move_iterator(items.end()));
}

RenewFilter renew_items(const EventShapes& shapes, WantedEvents wanted) {
  return [&shapes, wanted = std::move(wanted), seen = shapes.upcasters().changes()](LogQuery& query) mutable {
    const std::uint64_t now = shapes.upcasters().changes();
    if (now == seen) return;
    set_items(query, stored_items(shapes, wanted.items, wanted.shape));
    seen = now;
  };
}

HttpResponse feed(std::unique_ptr<EventCursor> cursor, const Wanted& wanted, const EventSource& source) {
  const bool lines = wanted.form == Form::kLines;
  const FeedFormat format = lines            ? FeedFormat::kLines
                            : wanted.unnamed ? FeedFormat::kUnnamed
                                             : FeedFormat::kServerSent;
  HttpResponse response;
  response.content_type = lines ? "application/x-ndjson" : "text/event-stream";
  response.stream = std::make_shared<EventFeed>(std::move(cursor), format, wanted.limit, source.store.head(),
                                                source, wanted.events);
  return response;
}

Answered<HttpResponse> answer_log(const EventSource& source, const HttpRequest& request, WorkBudget& budget) {
  QueryReader query(request);
  Wanted wanted = read_wanted(request, query);
  LogQuery log{.filter = read_filter(query, wanted.events)};
  CAIRN_CHECK(query.finish());
  CAIRN_CHECK(check(request, wanted));
  CAIRN_CHECK(check_categories(request, log.filter.categories));

  log.direction = wanted.events.direction;
  if (wanted.from) log.from = GlobalPosition{*wanted.from};
  if (wanted.last_event_id) log.from = GlobalPosition{*wanted.last_event_id + 1};
  auto renew = renew_types(source.shapes, wanted.events);
  log.filter.types = source.shapes.stored_types(wanted.events.types, wanted.events.shape);
  if (wanted.form == Form::kServerSent && log.from) {
    CAIRN_CHECK(check_history(source.store, log.from->value - 1));
  }
  if (wanted.form != Form::kPage) CAIRN_CHECK(check_index(source.store, log));
  CAIRN_CHECK(narrow_to_times(source.store, wanted.events, log));
  if (wanted.form != Form::kPage) {
    return feed(log_cursor(source.store, std::move(log), std::move(renew)), wanted, source);
  }
  log.limit = wanted.limit;
  return log_page(source, std::move(log), wanted.events, budget);
}

// POST /events/query: as answer_log(), with a body in place of parameters.
Answered<HttpResponse> answer_query(const EventSource& source, const HttpRequest& request,
                                    WorkBudget& budget) {
  if (!has_content_type(request, "application/json")) return wrong_content_type("application/json");
  QueryReader query(request);
  CAIRN_CHECK(query.finish());
  CAIRN_TRY(const QueryBody body, parse_query_body(request.body));
  Wanted wanted;
  wanted.form = wanted_form(request);
  const bool page = wanted.form == Form::kPage;
  const std::uint64_t limit_max = page ? limits::kPageEventsMax : kAnyNumber;
  if (body.limit && (*body.limit == 0 || *body.limit > limit_max))
    return invalid_request(fmt::format("limit must be a whole number from 1 to {}.", limit_max), "limit");
  wanted.limit = body.limit.value_or(page ? kDefaultLimit : kAnyNumber);
  wanted.events.shape = body.shape;
  wanted.events.direction = body.direction;
  wanted.events.items = body.items;
  CAIRN_CHECK(check(request, wanted));
  if (wanted.form == Form::kServerSent && body.until)
    return invalid_request("Server-sent events have no end; read up to a position as pages or as NDJSON.",
                           "until");
  CAIRN_CHECK(check_items(request, body.items));

  auto renew = renew_items(source.shapes, wanted.events);
  LogQuery log{.from = body.from, .direction = body.direction, .until = body.until};
  set_items(log, stored_items(source.shapes, body.items, body.shape));
  if (wanted.last_event_id) log.from = GlobalPosition{*wanted.last_event_id + 1};
  if (wanted.form == Form::kServerSent && log.from)
    CAIRN_CHECK(check_history(source.store, log.from->value - 1));
  if (!page) {
    CAIRN_CHECK(check_index(source.store, log));
    return feed(log_cursor(source.store, std::move(log), std::move(renew)), wanted, source);
  }
  log.limit = wanted.limit;
  return log_page(source, std::move(log), wanted.events, budget);
}

Answered<HttpResponse> answer_stream(const EventSource& source, const HttpRequest& request,
                                     WorkBudget& budget) {
  EventStore& store = source.store;
  const std::string& stream = request.parameters.at("stream");
  QueryReader query(request);
  Wanted wanted = read_wanted(request, query);
  CAIRN_CHECK(query.finish());
  CAIRN_CHECK(check(request, wanted));
  CAIRN_CHECK(check_category(request, category_of(stream)));

  StreamQuery versions{.from = {}, .direction = wanted.events.direction};
  if (wanted.from) versions.from = StreamVersion{*wanted.from};
  if (wanted.form == Form::kPage) {
    versions.limit = wanted.limit;
    return stream_page(source, stream, versions, wanted.events, budget);
  }
  // An error can be answered only before the first byte is sent.
  const auto info = store.stream_info(stream);
  if (!info) return store_problem(info.error());
  if (!*info) return not_found("stream", stream);
  if (wanted.last_event_id) {
    CAIRN_CHECK(check_history(store, *wanted.last_event_id));
    const auto behind = first_version_after(store, stream, {*wanted.last_event_id});
    if (!behind) return store_problem(behind.error());
    versions.from = *behind;
  } else if (wanted.form == Form::kServerSent && versions.from) {
    CAIRN_CHECK(check_history(**info, *versions.from));
  }
  return feed(stream_cursor(store, stream, versions), wanted, source);
}

}  // namespace

std::vector<Route> event_routes(const RouteContext& context) {
  const auto with_source =
      [&context](Answered<HttpResponse> (*answer)(const EventSource&, const HttpRequest&, WorkBudget&)) {
        return with_store(context.store,
                          [&slot = context.store, &wakeups = context.wakeups, &metrics = context.metrics,
                           answer](EventStore& store, const HttpRequest& request, const Responder& respond) {
                            const EventSource source{store, *slot.shapes(), wakeups, metrics};
                            respond(to_response(answer(source, request, respond.budget())));
                          });
      };
  std::vector<Route> routes;
  routes.push_back({"GET", "/streams/{stream}/events", with_source(&answer_stream)});
  routes.push_back({"GET", "/events", with_source(&answer_log)});
  for (Route& route : routes) route.takes_ticket = true;
  routes.push_back({"POST", "/events/query", with_source(&answer_query)});
  for (Route& route : routes) route.runs_on = RunsOn::kWorker;
  return routes;
}

Answered<HttpResponse> answer_events(const EventSource& source, const HttpRequest& request,
                                     WorkBudget& budget) {
  return request.parameters.contains("stream") ? answer_stream(source, request, budget)
                                               : answer_log(source, request, budget);
}

}  // namespace cairn::api
