#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/projections/projection_routes.h"
#include "api/projections/projection_try.h"
#include "api/serving/query_reader.h"
#include "api/serving/route_tools.h"
#include "api/serving/store_problem.h"
#include "api/serving/try_request.h"
#include "eventstore/event_store.h"
#include "projections/trial/projection_trial.h"
#include "upcasters/event_shapes.h"
#include "upcasters/trial/last_events.h"

namespace cairn::api {

namespace {

constexpr std::size_t kTriedAtDeployment = 1'000;  // events
constexpr WorkLimits kDeploymentTrial{.cpu = std::chrono::milliseconds(500), .time = std::chrono::seconds(2)};

EventFilter filter_of(const EventShapes& shapes, const ProjectionHeader& header) {
  return {.categories = header.categories,
          .types = shapes.stored_types(header.types, Shape::latest()),
          .system = !header.categories.empty()};
}

Result<TrialReport> try_last(const StoreSlot& slot, ProjectionTrial& trial, std::size_t last,
                             WorkBudget& budget) {
  EventShapes& shapes = *slot.shapes();
  CAIRN_TRY(const TrialEvents events,
            read_last_events(*slot.store(), filter_of(shapes, trial.header()), last, budget));
  const auto shaper = shapes.shapers().lease();
  const auto shape = [&](const EventView& event) -> ShapeResult<std::span<const ShapedEvent>> {
    CAIRN_CHECK(shaper->shape(event, Shape::latest()));
    return shaper->parts();
  };
  return trial.run(events, shape, budget);
}

Answered<HttpResponse> try_projection(const StoreSlot& slot, SchemaPolicy policy, const HttpRequest& request,
                                      WorkBudget& budget) {
  QueryReader query(request);
  CAIRN_CHECK(query.finish());
  // As for everything about projections: rows and messages may have data of any category.
  CAIRN_CHECK(check_categories(request, {}));
  CAIRN_TRY(const TryRequest wanted, parse_try(request, "projection.lua", TakesStream::kNo));
  auto made = ProjectionTrial::make(wanted.source, wanted.file);
  if (!made) return script_refused(made.error());
  ProjectionTrial& trial = **made;
  TrialReport report;
  std::vector<ScriptWarning> warnings = unknown_types(slot, policy, trial.header().types);
  if (wanted.given) {
    report = trial.run(*wanted.given, shape_given(), budget);
  } else {
    auto tried = try_last(slot, trial, *wanted.last, budget);
    if (!tried) return store_problem(tried.error());
    report = *std::move(tried);
  }
  report.warnings.insert(report.warnings.begin(), warnings.begin(), warnings.end());
  return json_response(200, rows_report_json(report));
}

}  // namespace

std::vector<ScriptWarning> deploy_warnings(const StoreSlot& slot, SchemaPolicy policy,
                                           const std::string& source, const std::string& file) {
  auto trial = ProjectionTrial::make(source, file);
  if (!trial) return {};
  std::vector<ScriptWarning> warnings = unknown_types(slot, policy, (*trial)->header().types);
  WorkBudget budget(kDeploymentTrial);
  const WorkBudget::OnThread on_thread(budget);
  const auto report = try_last(slot, **trial, kTriedAtDeployment, budget);
  if (!report) return warnings;
  for (const ScriptWarning& warning : report->warnings) {
    if (warning.kind != "key-nil" && warning.kind != "parked") continue;
    warnings.push_back(
        {warning.kind, fmt::format("{} (tried on the last {} events)", warning.message, report->given)});
  }
  return warnings;
}

std::vector<Route> projection_try_routes(const RouteContext& context) {
  const auto handle = [&slot = context.store, policy = context.schemas](
                          EventStore&, const HttpRequest& request, const Responder& respond) {
    respond(to_response(try_projection(slot, policy, request, respond.budget())));
  };
  Route route{"POST", "/projections/try", with_store(context.store, handle), Scope::kAdmin};
  route.runs_on = RunsOn::kTrialWorker;
  return {std::move(route)};
}

}  // namespace cairn::api
