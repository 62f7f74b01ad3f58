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
#include "api/http/progress_channel.h"
#include "api/serving/query_reader.h"
#include "api/serving/refusal_audit.h"
#include "api/serving/route_tools.h"
#include "eventstore/event_store.h"
#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

HttpResponse deployed(Aggregates& aggregates, const AggregateDraft& draft, const RefusalAudit& audit) {
  const auto deployment = aggregates.deploy(draft);
  if (!deployment) {
    const Problem problem = aggregate_problem(deployment.error());
    audit.note(problem);
    return problem.to_response();
  }
  return json_response(deployment->unchanged ? 200 : 201, to_json(*deployment));
}

void deploy(EventStore& store, AggregateService& service, const HttpRequest& request,
            const Responder& respond) {
  QueryReader query(request);
  AggregateDraft draft;
  draft.category = request.parameters.at("category");
  if (const auto file = query.name("file")) draft.file = *file;
  if (refused(query.finish(), respond)) return;
  if (refused(check_script(request), respond)) return;
  if (refused(check_category(request, *draft.category), respond)) return;

  draft.source = request.body;
  draft.origin = origin_of(request);
  Aggregates& aggregates = service.states().aggregates();
  service.deployments().answer(respond,
                               [&aggregates, draft = std::move(draft), audit = RefusalAudit(store, request)] {
                                 return deployed(aggregates, draft, audit);
                               });
}

// Lists the aggregates of the categories that the request's token reaches.
void list(AggregateService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (refused(query.finish(), respond)) return;
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.begin_array("aggregates");
  for (const AggregateDefinition& definition : service.states().aggregates().definitions()) {
    if (!check_category(request, definition.category)) continue;
    json.element();
    append_aggregate_json(text, definition, nullptr);
  }
  json.end_array();
  json.end_object();
  respond(json_response(200, std::move(text)));
}

void show(AggregateService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (refused(query.finish(), respond)) return;
  const std::string& category = request.parameters.at("category");
  if (refused(check_category(request, category), respond)) return;
  const auto definition = service.states().aggregates().definition(category);
  if (!definition) return respond(not_found("aggregate", category).to_response());
  std::string json;
  append_aggregate_json(json, *definition, &definition->source);
  respond(json_response(200, std::move(json)));
}

// The report of a run as JSON.
Answered<std::string> outcome_of(const std::string& category, const Result<SnapshotReport>& report) {
  if (!report) return snapshot_run_problem(category, report.error());
  if (report->cancelled) {
    return snapshot_run_problem(category, make_error(Errc::kFailedPrecondition, "the server is stopping"));
  }
  return to_json(category, *report);
}

// Answers at once with a body that reports the progress and ends with the outcome.
HttpResponse with_progress(SnapshotRunRequest& wanted) {
  wanted.done = [news = wanted.news, category = wanted.category](const Result<SnapshotReport>& report) {
    const auto outcome = outcome_of(category, report);
    news->finish(outcome ? named_json("result", *outcome) : named_json("problem", outcome.error().to_json()));
  };
  HttpResponse response;
  response.content_type = "application/x-ndjson";
  response.stream = std::make_shared<ProgressBody>(wanted.news);
  return response;
}

void snapshot_all(AggregateService& service, const HttpRequest& request, const Responder& respond) {
  QueryReader query(request);
  if (refused(query.finish(), respond)) return;
  SnapshotRunRequest wanted{
      .category = request.parameters.at("category"), .news = std::make_shared<ProgressChannel>(), .done = {}};
  if (refused(check_category(request, wanted.category), respond)) return;
  if (service.states().aggregates().find(wanted.category) == nullptr) {
    return respond(not_found("aggregate", wanted.category).to_response());
  }
  std::optional<HttpResponse> at_once;
  if (wants_lines(request)) {
    at_once = with_progress(wanted);
  } else {
    wanted.done = [respond, category = wanted.category](const Result<SnapshotReport>& report) {
      auto outcome = outcome_of(category, report);
      respond(outcome ? json_response(200, *std::move(outcome)) : outcome.error().to_response());
    };
  }
  if (!service.runs().submit(std::move(wanted))) {
    return respond(overloaded("Too many snapshot runs are waiting.").to_response());
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
  const auto deploying = [&slot = context.store](EventStore& store, const HttpRequest& request,
                                                 const Responder& respond) {
    deploy(store, *slot.aggregates(), request, respond);
  };
  std::vector<Route> routes;
  routes.push_back({"GET", "/aggregates", handled(&list)});
  routes.push_back({"GET", "/aggregates/{category}", handled(&show)});
  routes.push_back({"PUT", "/aggregates/{category}", with_store(context.store, deploying), Scope::kAdmin});
  routes.push_back({"POST", "/aggregates/{category}/snapshots", handled(&snapshot_all), Scope::kAdmin});
  return routes;
}

}  // namespace cairn::api
