#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "api/aggregates/aggregate_routes.h"
#include "api/serving/query_reader.h"
#include "api/serving/route_tools.h"
#include "api/serving/store_problem.h"
#include "api/serving/try_request.h"
#include "eventstore/event_store.h"
#include "projections/trial/aggregate_trial.h"
#include "upcasters/event_shapes.h"
#include "upcasters/trial/last_events.h"

namespace cairn::api {

namespace {

Answered<TrialEvents> events_for(const StoreSlot& slot, const TryRequest& wanted, const AggregateTrial& trial,
                                 WorkBudget& budget) {
  const std::string& category = trial.header().category;
  if (wanted.stream) {
    if (category_of(*wanted.stream) != category) {
      return invalid_request(
          fmt::format("The stream '{}' is not of the category '{}', for which the aggregate is.",
                      *wanted.stream, category),
          "stream");
    }
    auto events = read_stream_events(*slot.store(), *wanted.stream, kTrialEventsMax, budget);
    if (!events && events.error().code == Errc::kNotFound) return not_found("stream", *wanted.stream);
    if (!events) return store_problem(events.error());
    return *std::move(events);
  }
  const EventFilter filter{.categories = {category},
                           .types = slot.shapes()->stored_types(trial.types(), Shape::latest())};
  auto events = read_last_events(*slot.store(), filter, *wanted.last, budget);
  if (!events) return store_problem(events.error());
  return *std::move(events);
}

Answered<HttpResponse> try_aggregate(const StoreSlot& slot, SchemaPolicy policy, const HttpRequest& request,
                                     WorkBudget& budget) {
  QueryReader query(request);
  CAIRN_CHECK(query.finish());
  CAIRN_TRY(const TryRequest wanted, parse_try(request, "aggregate.lua", TakesStream::kYes));
  auto made = AggregateTrial::make(wanted.source, wanted.file);
  if (!made) return script_refused(made.error());
  AggregateTrial& trial = **made;
  TrialReport report;
  std::vector<ScriptWarning> warnings = unknown_types(slot, policy, trial.types());
  if (wanted.given) {
    report = trial.run(*wanted.given, shape_given(), budget);
  } else {
    CAIRN_CHECK(check_category(request, trial.header().category));
    CAIRN_TRY(const TrialEvents events, events_for(slot, wanted, trial, budget));
    const auto shaper = slot.shapes()->shapers().lease();
    report = trial.run(
        events,
        [&](const EventView& event) -> ShapeResult<std::span<const ShapedEvent>> {
          CAIRN_CHECK(shaper->shape(event, Shape::latest()));
          return shaper->parts();
        },
        budget);
  }
  report.warnings.insert(report.warnings.begin(), warnings.begin(), warnings.end());
  return json_response(200, rows_report_json(report));
}

}  // namespace

std::vector<Route> aggregate_try_routes(const RouteContext& context) {
  const auto handle = [&slot = context.store, policy = context.schemas](
                          EventStore&, const HttpRequest& request, const Responder& respond) {
    respond(to_response(try_aggregate(slot, policy, request, respond.budget())));
  };
  Route route{"POST", "/aggregates/try", with_store(context.store, handle), Scope::kAdmin};
  route.runs_on = RunsOn::kTrialWorker;
  return {std::move(route)};
}

}  // namespace cairn::api
