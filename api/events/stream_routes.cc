#include <string>
#include <utility>
#include <vector>

#include "api/events/event_json.h"
#include "api/events/event_routes.h"
#include "api/serving/query_reader.h"
#include "api/serving/route_tools.h"
#include "api/serving/store_problem.h"
#include "eventstore/base/limits.h"
#include "eventstore/event_store.h"
#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

void answer_info(EventStore& store, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (refused(query.finish(), respond)) return;
  const std::string& stream = request.parameters.at("stream");
  if (refused(check_category(request, category_of(stream)), respond)) return;
  const auto info = store.stream_info(stream);
  if (!info) return respond(store_problem(info.error()).to_response());
  if (!*info) return respond(not_found("stream", stream).to_response());
  std::string json;
  append_stream_json(json, **info);
  respond(json_response(200, std::move(json)));
}

void answer_list(EventStore& store, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  StreamListQuery wanted;
  wanted.category = query.text("category").value_or("");
  wanted.prefix = query.text("prefix").value_or("");
  wanted.after = query.text("after").value_or("");
  wanted.limit = query.number("limit", 1, limits::kPageEventsMax).value_or(100);
  if (refused(query.finish(), respond)) return;
  const auto categories =
      wanted.category.empty() ? std::vector<std::string>() : std::vector<std::string>{wanted.category};
  if (refused(check_categories(request, categories), respond)) return;

  const auto list = store.list_streams(wanted);
  if (!list) return respond(store_problem(list.error()).to_response());
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.begin_array("streams");
  for (const StreamInfo& stream : list->streams) {
    json.element();
    append_stream_json(text, stream);
  }
  json.end_array();
  json.text_or_null("next", list->next);
  json.end_object();
  respond(json_response(200, std::move(text)));
}

}  // namespace

std::vector<Route> stream_routes(const RouteContext& context) {
  std::vector<Route> routes;
  routes.push_back({"GET", "/streams", with_store(context.store, answer_list)});
  routes.push_back({"GET", "/streams/{stream}", with_store(context.store, answer_info)});
  for (Route& route : routes) route.runs_on = RunsOn::kWorker;  // They read the index.
  return routes;
}

}  // namespace cairn::api
