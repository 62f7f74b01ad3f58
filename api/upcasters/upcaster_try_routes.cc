#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "api/serving/query_reader.h"
#include "api/serving/route_tools.h"
#include "api/serving/store_problem.h"
#include "api/serving/try_request.h"
#include "api/upcasters/upcaster_routes.h"
#include "eventstore/event_store.h"
#include "upcasters/deploy/check_step.h"
#include "upcasters/event_shapes.h"
#include "upcasters/trial/last_events.h"
#include "upcasters/trial/upcaster_trial.h"

namespace cairn::api {

namespace {

// Lets the trial go the way of a deployed upcaster when both schemas are there, and says what speaks against its
// deployment.
Result<std::vector<ScriptWarning>> prepare(EventShapes& shapes, UpcasterTrial& trial, WorkBudget& budget) {
  std::vector<ScriptWarning> warnings;
  const UpcasterHeader& header = trial.header();
  const TypeHistory history = shapes.history().history(header.type);
  if (const auto fits = check_step(history, header, &budget); !fits) {
    warnings.push_back({fits.error().reason, fits.error().message});
  }
  const SubjectVersion* const from = history.version(header.from);
  const SubjectVersion* const to = history.version(header.to);
  if (from == nullptr || to == nullptr) {
    warnings.push_back({"not-checked", "the results are not checked, because there are not both schemas"});
    return warnings;
  }
  // What the script makes of other types is in their newest version.
  constexpr std::uint64_t kAllChanges = std::numeric_limits<std::uint64_t>::max();
  CAIRN_CHECK(trial.use_schemas(
      from->schema, to->schema,
      [&shapes](std::string_view type, std::uint64_t registry_changes) {
        return shapes.chains().target_of(type, registry_changes);
      },
      kAllChanges));
  return warnings;
}

Answered<HttpResponse> try_upcaster(const StoreSlot& slot, const HttpRequest& request, WorkBudget& budget) {
  QueryReader query(request);
  CAIRN_CHECK(query.finish());
  CAIRN_TRY(const TryRequest wanted, parse_try(request, "upcaster.lua", TakesStream::kNo, "try-1"));
  auto made = UpcasterTrial::make(wanted.source, wanted.file);
  if (!made) return script_refused(made.error());
  UpcasterTrial& trial = **made;
  EventShapes& shapes = *slot.shapes();
  const auto warnings = prepare(shapes, trial, budget);
  if (!warnings) return store_problem(warnings.error());
  TrialReport report;
  if (wanted.given) {
    report = trial.run(*wanted.given, nullptr, budget);
  } else {
    CAIRN_CHECK(check_categories(request, {}));
    const auto events = read_last_events(*slot.store(), {.types = {trial.header().type}, .system = false},
                                         *wanted.last, budget);
    if (!events) return store_problem(events.error());
    const auto shaper = shapes.shapers().lease();
    const ShapeForTrial shape = [&](const EventView& event) -> ShapeResult<std::span<const ShapedEvent>> {
      CAIRN_CHECK(shaper->shape(event, Shape::of_version(trial.header().from)));
      return shaper->parts();
    };
    report = trial.run(*events, &shape, budget);
  }
  report.warnings.insert(report.warnings.begin(), warnings->begin(), warnings->end());
  return json_response(200, results_report_json(report, trial.checked_against()));
}

}  // namespace

std::vector<Route> upcaster_try_routes(const RouteContext& context) {
  const auto handle = [&slot = context.store](EventStore&, const HttpRequest& request,
                                              const Responder& respond) {
    respond(to_response(try_upcaster(slot, request, respond.budget())));
  };
  Route route{"POST", "/upcasters/try", with_store(context.store, handle), Scope::kAdmin};
  route.runs_on = RunsOn::kTrialWorker;
  return {std::move(route)};
}

}  // namespace cairn::api
