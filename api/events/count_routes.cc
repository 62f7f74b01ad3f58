#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/events/event_routes.h"
#include "api/serving/query_reader.h"
#include "api/serving/route_tools.h"
#include "api/serving/store_problem.h"
#include "eventstore/base/limits.h"
#include "eventstore/event_store.h"
#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

CountedTerm term_of(const std::string& word) {
  if (word == "type") return CountedTerm::kType;
  if (word == "tag") return CountedTerm::kTag;
  return CountedTerm::kCategory;
}

// Counts the categories of a token one by one: those of others are not looked at.
Result<CountList> count_own(EventStore& store, const CountQuery& query, std::vector<std::string> own) {
  std::sort(own.begin(), own.end());
  own.erase(std::unique(own.begin(), own.end()), own.end());
  CountList list{.head = store.head(), .terms = {}, .next = {}};
  for (const std::string& category : own) {
    if (!category.starts_with(query.prefix) || (query.after && category <= *query.after)) continue;
    // Of the names that begin with a category's name, its own is the first.
    CAIRN_TRY(const CountList found,
              store.count_terms({.of = CountedTerm::kCategory, .prefix = category, .after = {}, .limit = 1}));
    if (found.terms.empty() || found.terms.front().term != category) continue;
    if (list.terms.size() == query.limit) {
      list.next = list.terms.back().term;
      break;
    }
    list.terms.push_back(found.terms.front());
  }
  return list;
}

Answered<HttpResponse> answer_counts(EventStore& store, const HttpRequest& request) {
  QueryReader query(request);
  const std::string by = query.word("by", {"category", "type", "tag"});
  CountQuery wanted{.of = term_of(by),
                    .prefix = query.text("prefix").value_or(""),
                    .after = query.text("after"),
                    .limit = query.number("limit", 1, limits::kPageEventsMax).value_or(100)};
  CAIRN_CHECK(query.finish());
  const bool limited = request.token != nullptr && request.token->categories;
  if (limited && wanted.of != CountedTerm::kCategory) {
    return forbidden("The token '" + request.token->name +
                     "' does not reach all categories; it may count by category only.");
  }
  const auto list =
      limited ? count_own(store, wanted, *request.token->categories) : store.count_terms(wanted);
  if (!list) return store_problem(list.error());
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.plain_text("by", by);
  json.number("head", list->head.value);
  json.begin_array("counts");
  for (const CountList::Entry& entry : list->terms) {
    json.begin_object();
    json.text("name", entry.term);
    json.number("events", entry.events);
    json.end_object();
  }
  json.end_array();
  json.text_or_null("next", list->next);
  json.end_object();
  return json_response(200, std::move(text));
}

}  // namespace

std::vector<Route> count_routes(const RouteContext& context) {
  std::vector<Route> routes;
  routes.push_back(
      {"GET", "/stats/counts",
       with_store(context.store, [](EventStore& store, const HttpRequest& request, const Responder& respond) {
         respond(to_response(answer_counts(store, request)));
       })});
  routes.back().runs_on = RunsOn::kWorker;  // It reads the index.
  return routes;
}

}  // namespace cairn::api
