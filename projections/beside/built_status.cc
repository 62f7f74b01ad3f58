#include "projections/beside/built_status.h"

#include <algorithm>

#include "projections/runner/shapes_mark.h"
#include "projections/runner/status_facts.h"

namespace cairn {

namespace {

constexpr const char* kBuiltElsewhere = "another process builds it";
constexpr const char* kNobodyBuilds =
    "no process builds it: start `cairn project`, or this server with --projections on";

void add_live(ProjectionStatus& status, EventShapes& shapes, const BuiltGeneration& live, Timestamp now) {
  status.generation = live.number;
  status.fingerprint = live.projection->info().fingerprint;
  status.outdated = shapes_mark(shapes, live.projection->info().from.types) != live.shapes;
  if (const auto checkpoint = live.model->checkpoint()) status.position = *checkpoint;
  if (const auto size = live.model->size()) {
    status.rows = size->rows;
    status.bytes = size->bytes;
  }
  const ParkedCount parked = count_parked(*live.model);
  status.parked_keys = parked.keys;
  status.parked_events = parked.events;
  if (parked.oldest) status.oldest_parked_seconds = seconds_between(*parked.oldest, now);
}

RebuildStatus rebuild_of(const BuiltView& view, GlobalPosition head) {
  const BuiltGeneration& building = *view.building;
  RebuildStatus rebuild;
  rebuild.generation = building.number;
  if (const auto checkpoint = building.model->checkpoint()) rebuild.position = *checkpoint;
  rebuild.target = head;
  rebuild.events_per_second_max = view.record.events_per_second_max;
  rebuild.parked_keys = count_parked(*building.model).keys;
  if (const auto size = building.model->size()) rebuild.rows = size->rows;
  return rebuild;
}

// The state, and why.
void judge(ProjectionStatus& status, const BuiltFacts& facts) {
  const BuiltView& view = *facts.view;
  const bool is_pending = view.record.definition != facts.wanted;  // That process has not seen it yet.
  const bool is_behind = status.lag_events > 0 || status.rebuild || is_pending;
  const double too_long = static_cast<double>(facts.stalled_after.count()) / 1e3;
  const double still = seconds_between(facts.moved_at, facts.now);
  status.reason = facts.is_being_built ? kBuiltElsewhere : kNobodyBuilds;
  if (!view.fault.empty()) {
    status.state = ProjectionState::kFaulted;
    status.reason = view.fault;
  } else if (view.record.paused) {
    status.state = ProjectionState::kPaused;
    status.reason = *view.record.paused;
  } else if (!facts.is_being_built && is_behind) {
    status.state = ProjectionState::kStalled;
  } else if (std::min(status.lag_seconds, still) > too_long && view.live) {
    status.state = ProjectionState::kStalled;
    status.reason = "it is behind and has not moved for " +
                    std::to_string(static_cast<std::uint64_t>(still)) +
                    " s; the log of the process that builds it may say why";
  } else if (status.rebuild || is_pending) {
    status.state = ProjectionState::kRebuilding;
  }
}

}  // namespace

ProjectionStatus built_status(EventStore& store, EventShapes& shapes, const BuiltFacts& facts) {
  const BuiltView& view = *facts.view;
  ProjectionStatus status;
  status.name = facts.name;
  status.revision = facts.revision;
  if (!view.record.previous.empty()) status.previous_generation = view.record.previous.front();
  if (view.live) add_live(status, shapes, *view.live, facts.now);
  status.head = store.head();  // Asked last: what was committed before is not ahead of it.
  if (status.head > status.position) {
    status.lag_events = status.head.value - status.position.value;
    status.lag_seconds = age_of(store, {status.position.value + 1}, facts.now);
  }
  if (view.building) status.rebuild = rebuild_of(view, status.head);
  judge(status, facts);
  return status;
}

}  // namespace cairn
