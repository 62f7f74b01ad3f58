#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/projections/projection_problem.h"
#include "api/projections/projection_route.h"
#include "api/projections/projection_routes.h"
#include "api/projections/projection_service.h"
#include "api/projections/row_question.h"
#include "api/serving/query_reader.h"
#include "api/serving/route_tools.h"
#include "eventstore/base/limits.h"
#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

constexpr std::uint64_t kWaitMs = 1'000;
constexpr std::uint64_t kWaitMsMax = 30'000;

template <typename Answer>
void write_standing(JsonWriter& json, const Answer& answer) {
  json.number("position", answer.position.value);
  json.number("generation", answer.generation);
  if (answer.partial) json.flag("partial", true);
}

// {"key","row","position","generation"}, with "partial":true while the generation is being built.
// REQUIRES: there is a row.
std::string row_json(std::string_view key, const RowAnswer& answer) {
  CAIRN_ASSERT(answer.json.has_value());
  return json_object([&](JsonWriter& json) {
    json.text("key", key);
    json.raw("row", *answer.json);
    write_standing(json, answer);
  });
}

// {"rows":[{"key","row"}],"next","position","generation"}, and "partial" as above.
std::string rows_json(const RowsAnswer& answer) {
  return json_object([&](JsonWriter& json) {
    json.begin_array("rows");
    for (const RowsAnswer::Row& row : answer.rows) {
      json.begin_object();
      json.text("key", row.key);
      json.raw("row", row.json);
      json.end_object();
    }
    json.end_array();
    json.text_or_null("next", answer.next);
    write_standing(json, answer);
  });
}

// The position that the rows must have reached, and how long the client waits for it.
RowQuestion read_question(const HttpRequest& request, QueryReader& query) {
  RowQuestion question;
  question.name = request.parameters.at("name");
  if (const auto position = query.number("minPosition", 0, std::numeric_limits<std::uint64_t>::max())) {
    question.min_position = GlobalPosition{*position};
  }
  question.wait = std::chrono::milliseconds(query.number("waitMs", 0, kWaitMsMax).value_or(kWaitMs));
  return question;
}

HttpResponse response_of(const std::string& key, const RowAnswer& answer) {
  if (!answer.json) return no_such_row(key, answer.position, answer.generation).to_response();
  return json_response(200, row_json(key, answer));
}

void answer_row(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  RowQuestion question = read_question(request, query);
  const bool partial = query.flag("partial");
  if (refused(query.finish(), respond)) return;
  question.read = [name = question.name, key = request.parameters.at("key"),
                   partial](ReadModels& models) -> Result<RowsFound> {
    CAIRN_TRY(const RowAnswer answer, models.row(name, key, partial));
    return RowsFound{answer.position, response_of(key, answer)};
  };
  // Reading one row takes less time than waking another thread.
  RowQuestion::Sight sight = question.look(service.models());
  if (!sight.may_change || !question.waits()) return respond(std::move(sight.response));
  answer_when_there(service, std::make_shared<const RowQuestion>(std::move(question)), respond);
}

void answer_rows(ProjectionService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  RowQuestion question = read_question(request, query);
  RowsQuery wanted;
  wanted.prefix = query.text("prefix").value_or("");
  wanted.after = query.text("after").value_or("");
  wanted.limit = query.number("limit", 1, limits::kPageEventsMax).value_or(wanted.limit);
  wanted.partial = query.flag("partial");
  if (refused(query.finish(), respond)) return;
  question.read = [name = question.name,
                   wanted = std::move(wanted)](ReadModels& models) -> Result<RowsFound> {
    CAIRN_TRY(const RowsAnswer answer, models.rows(name, wanted));
    return RowsFound{answer.position, json_response(200, rows_json(answer))};
  };
  answer_when_there(service, std::make_shared<const RowQuestion>(std::move(question)), respond);
}

}  // namespace

std::vector<Route> row_routes(const RouteContext& context) {
  std::vector<Route> routes;
  routes.push_back({"GET", "/projections/{name}/rows", with_projections(context.store, &answer_rows)});
  routes.push_back({"GET", "/projections/{name}/rows/{key}", with_projections(context.store, &answer_row)});
  return routes;
}

}  // namespace cairn::api
