#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/access/tickets.h"
#include "api/events/event_routes.h"
#include "api/events/event_source.h"
#include "api/http/feed_target.h"
#include "api/http/server_limits.h"
#include "api/serving/query_reader.h"
#include "api/serving/route_tools.h"
#include "eventstore/base/clock.h"
#include "eventstore/base/time_text.h"
#include "eventstore/event_store.h"
#include "eventstore/json/json_check.h"
#include "eventstore/json/json_cursor.h"
#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

// What a ticket is asked for.
struct WantedTicket {
  std::string path;  // percent-encoded
  std::string query;
};

// Reads {"path":"/events","query":"category=order"}.
Answered<WantedTicket> read_wanted_ticket(std::string_view body) {
  if (const auto fault = check_json(body)) {
    return invalid_request(
        fmt::format("The body is not valid JSON: {}, at byte {}.", fault->message, fault->offset), "body");
  }
  JsonCursor cursor(body);
  if (cursor.kind() != JsonKind::kObject) {
    return invalid_request("The body must be an object with a path and a query.", "body");
  }
  WantedTicket wanted;
  cursor.enter_object();
  while (const auto name = cursor.next_name()) {
    if (*name != "path" && *name != "query") {
      return invalid_request(*name + " is not a field of a ticket.", *name);
    }
    if (cursor.kind() != JsonKind::kString) return invalid_request(*name + " must be a string.", *name);
    (*name == "path" ? wanted.path : wanted.query) = cursor.take_string();
  }
  return wanted;
}

Problem no_feed() {
  return invalid_request(
      "path must be /events or /streams/NAME/events, percent-encoded and without a query; that goes into "
      "query.",
      "path");
}

// "&ticket=", and the ticket.
constexpr std::size_t kTicketParameterBytes = 80;

// The request with which EventSource will show the ticket. Its views point into `wanted` and `request`.
Answered<HttpRequest> feed_request(const WantedTicket& wanted, const HttpRequest& request) {
  const auto segments = path_segments(wanted.path);
  if (!segments || !wanted.path.starts_with('/') || wanted.path.find('?') != std::string::npos) {
    return no_feed();
  }
  constexpr std::size_t kTargetBytesMax = ServerLimits{}.target_bytes_max;
  const std::size_t target_bytes = wanted.path.size() + 1 + wanted.query.size() + kTicketParameterBytes;
  if (target_bytes > kTargetBytesMax) {
    return Problem(414, "target-too-long", "The path is too long",
                   "Path and query are too long for a ticket.")
        .with("limit", kTargetBytesMax);
  }
  HttpRequest feed;
  feed.method = "GET";
  feed.path = wanted.path;
  feed.headers = {{"Accept", "text/event-stream"}};
  feed.token = request.token;
  feed.id = request.id;
  if (segments->size() == 3 && segments->at(0) == "streams" && segments->at(2) == "events") {
    feed.parameters.emplace("stream", segments->at(1));
  } else if (*segments != std::vector<std::string>{"events"}) {
    return no_feed();
  }
  auto query = parse_query(wanted.query);
  if (!query) return invalid_request("query has a '?' in its middle.", "query");
  feed.query = *std::move(query);
  return feed;
}

// Opens the feed once and drops it: what EventSource would be refused for, and could not show, is told here.
Answered<std::string> issue(Tickets& tickets, const EventSource& source, const HttpRequest& request,
                            WorkBudget& budget) {
  QueryReader query(request);
  CAIRN_CHECK(query.finish());
  if (!has_content_type(request, "application/json")) return wrong_content_type("application/json");
  CAIRN_TRY(const WantedTicket wanted, read_wanted_ticket(request.body));
  CAIRN_TRY(const HttpRequest feed, feed_request(wanted, request));
  CAIRN_CHECK(answer_events(source, feed, budget));
  auto ticket = tickets.issue(request.token, feed_target(feed.path, feed.query).value_or(""));
  if (ticket) return *std::move(ticket);
  switch (ticket.error()) {
    case Tickets::Refusal::kOverShare:
      return too_many_requests("This token has too many tickets that are valid.");
    case Tickets::Refusal::kFull:
      return overloaded("Too many tickets are valid.");
    case Tickets::Refusal::kNoRandom:
      break;
  }
  return internal_error();
}

Answered<HttpResponse> answer_ticket(Tickets& tickets, const EventSource& source, const HttpRequest& request,
                                     WorkBudget& budget) {
  const Timestamp asked_at = system_time();
  CAIRN_TRY(const std::string ticket, issue(tickets, source, request, budget));
  const std::chrono::microseconds valid_for = Tickets::kValidFor;
  const auto expires_at = time_text({asked_at.micros + valid_for.count()});
  return json_response(201, json_object([&](JsonWriter& json) {
                         json.text("ticket", ticket);
                         json.text("expiresAt", {expires_at.data(), expires_at.size()});
                       }));
}

}  // namespace

std::vector<Route> ticket_routes(const RouteContext& context) {
  std::vector<Route> routes;
  routes.push_back({"POST", "/tickets",
                    with_store(context.store,
                               [&slot = context.store, &wakeups = context.wakeups, &metrics = context.metrics,
                                tickets = context.tickets](EventStore& store, const HttpRequest& request,
                                                           const Responder& respond) {
                                 const EventSource source{store, *slot.shapes(), wakeups, metrics};
                                 respond(
                                     to_response(answer_ticket(*tickets, source, request, respond.budget())));
                               }),
                    Scope::kRead});
  routes.back().runs_on = RunsOn::kWorker;  // It opens a feed, which reads the index.
  return routes;
}

}  // namespace cairn::api
