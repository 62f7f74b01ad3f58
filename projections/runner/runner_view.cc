#include "projections/runner/runner_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace cairn {

namespace {

constexpr const char* kAnotherProcessBuilds = "another process builds it";
constexpr const char* kNoProcessBuilds =
    "no process builds it: start `cairn project`, or this server with --projections on";

// 0 when `to` comes first.
double seconds_between(Timestamp from, Timestamp to) {
  return std::max(0.0, static_cast<double>(to.micros - from.micros) / 1e6);
}

RebuildStatus rebuild_of(const RunnerView& view, const ReadModelFacts& building, GlobalPosition head,
                         Timestamp now) {
  RebuildStatus rebuild;
  rebuild.generation = building.generation;
  rebuild.position = building.position;
  rebuild.target = head;
  rebuild.events_per_second = view.building_rate.per_second(now);
  if (rebuild.events_per_second > 0 && rebuild.target > rebuild.position) {
    rebuild.eta_seconds =
        static_cast<double>(rebuild.target.value - rebuild.position.value) / rebuild.events_per_second;
  }
  rebuild.events_per_second_max = view.events_per_second_max;
  rebuild.parked_keys = building.parked_keys;
  rebuild.rows = building.rows;
  rebuild.holds = view.holds;
  return rebuild;
}

// What there is to say while nothing is wrong.
std::string usual_reason(const RunnerView& view) {
  switch (view.builder) {
    case Builder::kThisProcess:
      return view.retrying;
    case Builder::kAnotherProcess:
      return kAnotherProcessBuilds;
    case Builder::kNone:
      return kNoProcessBuilds;
  }
  return "";
}

// For how long nothing has advanced although there are events to apply. A projection that was idle is not
// stalled because an event has just arrived, so the age of that event counts too. This process sees a rebuild
// advance; of another process only the commits of the live generation are seen.
double seconds_without_progress(const RunnerView& view, const StatusFacts& facts,
                                const ProjectionStatus& status, Timestamp now) {
  const double still = seconds_between(view.moved_at, now);
  if (view.builder != Builder::kThisProcess) return facts.live ? std::min(still, status.lag_seconds) : 0;
  return facts.building ? still : std::min(still, status.lag_seconds);
}

std::string stalled_reason(const RunnerView& view, double still) {
  if (!view.retrying.empty()) return view.retrying;
  std::string reason =
      fmt::format("it is behind and has not moved for {} s", static_cast<std::uint64_t>(still));
  if (view.builder != Builder::kThisProcess) reason += "; the log of the process that builds it may say why";
  return reason;
}

// Decides the state and its reason from all other fields.
std::pair<ProjectionState, std::string> state_of(const RunnerView& view, const StatusFacts& facts,
                                                 const ProjectionStatus& status, Timestamp now,
                                                 std::chrono::milliseconds stalled_after) {
  if (!view.fault.empty()) return {ProjectionState::kFaulted, view.fault};
  if (view.paused) return {ProjectionState::kPaused, *view.paused};
  const bool is_building = status.rebuild.has_value() || view.definition_pending;
  if (view.builder == Builder::kNone && (status.lag_events > 0 || is_building)) {
    return {ProjectionState::kStalled, kNoProcessBuilds};
  }
  const bool is_behind =
      status.lag_events > 0 || (status.rebuild && status.rebuild->position < status.rebuild->target);
  const double still = seconds_without_progress(view, facts, status, now);
  if (is_behind && still > static_cast<double>(stalled_after.count()) / 1e3) {
    return {ProjectionState::kStalled, stalled_reason(view, still)};
  }
  if (is_building) {
    return {ProjectionState::kRebuilding, view.holds.empty() ? usual_reason(view) : view.holds};
  }
  return {ProjectionState::kRunning, usual_reason(view)};
}

}  // namespace

ProjectionStatus status_of(const RunnerView& view, const StatusFacts& facts, Timestamp now,
                           std::chrono::milliseconds stalled_after) {
  ProjectionStatus status;
  status.name = view.name;
  status.head = facts.head;
  status.previous_generation = view.previous;
  status.retries = view.retries;
  status.first_error = view.first_error;
  status.last_error = view.last_error;
  status.fingerprint = view.fingerprint;
  status.revision = view.revision;
  status.outdated = facts.outdated;
  if (facts.live) {
    status.position = facts.live->position;
    status.generation = facts.live->generation;
    status.events_per_second = view.live_rate.per_second(now);
    status.events_passed_over = facts.live->events_passed_over;
    status.rows = facts.live->rows;
    status.bytes = facts.live->bytes;
    status.parked_keys = facts.live->parked_keys;
    status.parked_events = facts.live->parked_events;
    if (facts.live->oldest_parked) {
      status.oldest_parked_seconds = seconds_between(*facts.live->oldest_parked, now);
    }
  }
  if (status.head > status.position) {
    status.lag_events = status.head.value - status.position.value;
    if (facts.next_event_at) status.lag_seconds = seconds_between(*facts.next_event_at, now);
  }
  if (facts.building) status.rebuild = rebuild_of(view, *facts.building, facts.head, now);
  std::tie(status.state, status.reason) = state_of(view, facts, status, now, stalled_after);
  return status;
}

}  // namespace cairn
