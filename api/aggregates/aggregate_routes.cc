#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/aggregates/aggregate_routes.h"
#include "api/aggregates/aggregate_service.h"
#include "api/aggregates/state_json.h"
#include "api/aggregates/state_problem.h"
#include "api/http/progress_feed.h"
#include "api/serving/query_reader.h"
#include "api/serving/route_tools.h"
#include "eventstore/event_store.h"

namespace cairn::api {

namespace {

HttpResponse deployed(Aggregates& aggregates, const AggregateDraft& draft) {
  const AggregateOutcome outcome = aggregates.deploy(draft);
  if (const auto* refusal = std::get_if<AggregateRefusal>(&outcome)) {
    return aggregate_problem(*refusal).to_response();
  }
  const auto& deployment = std::get<AggregateDeployment>(outcome);
  return json_response(deployment.unchanged ? 200 : 201, to_json(deployment));
}

void deploy(AggregateService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  AggregateDraft draft;
  draft.category = request.parameters.at("category");
  if (const auto file = query.name("file")) draft.file = *file;
  if (const auto problem = query.problem()) return respond(problem->to_response());
  if (const auto problem = check_script(request)) return respond(problem->to_response());
  if (const auto problem = check_category(request, *draft.category)) return respond(problem->to_response());

  draft.source = request.body;
  Aggregates& aggregates = service.states().aggregates();
  service.workers().answer(respond,
                           [&aggregates, draft = std::move(draft)] { return deployed(aggregates, draft); });
}

// Those that whoever asks may know of.
void list(AggregateService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (const auto problem = query.problem()) return respond(problem->to_response());
  std::string json = R"({"aggregates":[)";
  for (const AggregateDefinition& definition : service.states().aggregates().definitions()) {
    if (check_category(request, definition.category)) continue;
    if (!json.ends_with('[')) json += ',';
    append_aggregate_json(json, definition, nullptr);
  }
  respond(json_response(200, json + "]}"));
}

void show(AggregateService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (const auto problem = query.problem()) return respond(problem->to_response());
  const std::string& category = request.parameters.at("category");
  if (const auto problem = check_category(request, category)) return respond(problem->to_response());
  const auto definition = service.states().aggregates().definition(category);
  if (!definition) return respond(not_found("aggregate", category).to_response());
  std::string json;
  append_aggregate_json(json, *definition, &definition->source);
  respond(json_response(200, std::move(json)));
}

// What a run came to: its report, or why there is none.
std::variant<std::string, Problem> outcome_of(const std::string& category,
                                              const Result<SnapshotReport>& report) {
  if (!report) return snapshot_run_problem(category, report.error());
  if (report->cancelled) {
    return snapshot_run_problem(category, make_error(Errc::kFailedPrecondition, "the server is stopping"));
  }
  return to_json(category, *report);
}

// Answers at once, and goes on telling how far it has come.
HttpResponse with_news(SnapshotRunRequest& wanted) {
  wanted.done = [news = wanted.news, category = wanted.category](const Result<SnapshotReport>& report) {
    const auto outcome = outcome_of(category, report);
    const auto* problem = std::get_if<Problem>(&outcome);
    news->finish(problem != nullptr ? R"({"problem":)" + problem->to_json() + "}"
                                    : R"({"result":)" + std::get<std::string>(outcome) + "}");
  };
  HttpResponse response;
  response.content_type = "application/x-ndjson";
  response.stream = std::make_shared<ProgressFeed>(wanted.news);
  return response;
}

void snapshot_all(AggregateService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (const auto problem = query.problem()) return respond(problem->to_response());
  SnapshotRunRequest wanted{
      .category = request.parameters.at("category"), .news = std::make_shared<ProgressNews>(), .done = {}};
  if (const auto problem = check_category(request, wanted.category)) return respond(problem->to_response());
  if (service.states().aggregates().find(wanted.category) == nullptr) {
    return respond(not_found("aggregate", wanted.category).to_response());
  }
  std::optional<HttpResponse> at_once;
  if (wants_lines(request)) {
    at_once = with_news(wanted);
  } else {
    wanted.done = [respond, category = wanted.category](const Result<SnapshotReport>& report) {
      auto outcome = outcome_of(category, report);
      const auto* problem = std::get_if<Problem>(&outcome);
      respond(problem != nullptr ? problem->to_response()
                                 : json_response(200, std::get<std::string>(std::move(outcome))));
    };
  }
  if (!service.runs().submit(std::move(wanted))) {
    return respond(overloaded("Too many categories wait for their snapshots.").to_response());
  }
  if (at_once) respond(*std::move(at_once));
}

}  // namespace

std::vector<Route> aggregate_routes(const RouteContext& context) {
  const auto handled =
      [&slot = context.store](void (*handle)(AggregateService&, const HttpRequest&, const Responder&)) {
        return with_store(slot,
                          [&slot, handle](EventStore&, const HttpRequest& request, const Responder& respond) {
                            handle(*slot.aggregates(), request, respond);
                          });
      };
  std::vector<Route> routes;
  routes.push_back({"GET", "/aggregates", handled(&list)});
  routes.push_back({"GET", "/aggregates/{category}", handled(&show)});
  routes.push_back({"PUT", "/aggregates/{category}", handled(&deploy), Scope::kAdmin});
  routes.push_back({"POST", "/aggregates/{category}/snapshots", handled(&snapshot_all), Scope::kAdmin});
  return routes;
}

}  // namespace cairn::api
