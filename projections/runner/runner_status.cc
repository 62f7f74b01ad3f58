// What is to be seen of a projection while it runs.

#include <algorithm>
#include <utility>

#include "projections/runner/projection_runner.h"
#include "projections/runner/shapes_mark.h"
#include "projections/runner/status_facts.h"

namespace cairn {

std::string_view to_string(ProjectionState state) {
  switch (state) {
    case ProjectionState::kRunning:
      return "running";
    case ProjectionState::kRebuilding:
      return "rebuilding";
    case ProjectionState::kPaused:
      return "paused";
    case ProjectionState::kFaulted:
      return "faulted";
    case ProjectionState::kStalled:
      return "stalled";
  }
  return "";
}

std::string_view to_string(RowsVerification::Stage stage) {
  switch (stage) {
    case RowsVerification::Stage::kBuilding:
      return "building";
    case RowsVerification::Stage::kComparing:
      return "comparing";
    case RowsVerification::Stage::kDone:
      return "done";
    case RowsVerification::Stage::kFailed:
      return "failed";
  }
  return "";
}

void ProjectionRunner::publish() {
  const std::lock_guard lock(view_mutex_);
  const ProjectionRecord& record = folder_.record();
  view_.live = live_;
  view_.building = building_;
  view_.paused = record.paused;
  view_.fault = fault_;
  if (!retry_at_) view_.retrying.clear();
  view_.holds = building_ != nullptr && building_->taken() >= store().head() ? why_it_holds() : "";
  view_.live_parked = live_ == nullptr ? 0 : live_->parked_count();
  view_.building_parked = building_ == nullptr ? 0 : building_->parked_count();
  view_.previous = record.previous.empty() ? std::nullopt : std::optional(record.previous.front());
  view_.events_per_second_max = record.events_per_second_max;
  view_.fingerprint = live_ == nullptr ? "" : live_->projection().info().fingerprint;
  view_.revision = definition_.revision;
  view_.shapes = live_ == nullptr ? "" : record.code.at(live_->number()).shapes;
  for (const auto& generation : {live_, building_}) {
    if (generation == nullptr) continue;
    auto parked = generation->take_last_parked();
    if (!parked) continue;
    ProjectionError seen{parked->message, parked->position, parked->parked_at};
    if (!view_.first_error) view_.first_error = seen;
    view_.last_error = std::move(seen);
  }
}

// Asked for when somebody looks, and remembered until schemas or upcasters change.
bool ProjectionRunner::is_outdated(const View& view) const {
  if (view.live == nullptr) return false;
  EventShapes& shapes = tools_.generations.source.shapes();
  const std::uint64_t changes = shapes.chains().changes();
  const auto& types = view.live->projection().info().from.types;
  const std::lock_guard lock(mark_mutex_);
  if (mark_changes_ != changes || mark_generation_ != view.live->number()) {
    mark_ = shapes_mark(shapes, types);
    mark_changes_ = changes;
    mark_generation_ = view.live->number();
  }
  return mark_ != view.shapes;
}

ProjectionStatus ProjectionRunner::status() const {
  View view;
  {
    const std::lock_guard lock(view_mutex_);
    view = view_;
  }
  const Timestamp at = now();
  ProjectionStatus status;
  status.name = folder_.path().filename().string();
  status.head = store().head();
  status.previous_generation = view.previous;
  status.retries = view.retries;
  status.first_error = view.first_error;
  status.last_error = view.last_error;
  status.fingerprint = view.fingerprint;
  status.revision = view.revision;
  status.outdated = is_outdated(view);
  if (view.live != nullptr) {
    status.position = view.live->visible();
    status.generation = view.live->number();
    status.events_per_second = view.live_rate.per_second(at);
    if (const auto size = view.live->model()->size()) {
      status.rows = size->rows;
      status.bytes = size->bytes;
    }
    status.parked_keys = view.live_parked;
    if (view.live_parked > 0) {
      const ParkedCount parked = count_parked(*view.live->model());
      status.parked_events = parked.events;
      if (parked.oldest) status.oldest_parked_seconds = seconds_between(*parked.oldest, at);
    }
  }
  if (status.head > status.position) {
    status.lag_events = status.head.value - status.position.value;
    status.lag_seconds = age_of(store(), {status.position.value + 1}, at);
  }
  if (view.building != nullptr) {
    RebuildStatus rebuild;
    rebuild.generation = view.building->number();
    rebuild.position = view.building->taken();
    rebuild.target = status.head;
    rebuild.events_per_second = view.building_rate.per_second(at);
    if (rebuild.events_per_second > 0 && rebuild.target > rebuild.position) {
      rebuild.eta_seconds =
          static_cast<double>(rebuild.target.value - rebuild.position.value) / rebuild.events_per_second;
    }
    rebuild.events_per_second_max = view.events_per_second_max;
    rebuild.parked_keys = view.building_parked;
    if (const auto size = view.building->model()->size()) rebuild.rows = size->rows;
    rebuild.holds = view.holds;
    status.rebuild = std::move(rebuild);
  }

  const bool behind =
      status.lag_events > 0 || (status.rebuild && status.rebuild->position < status.rebuild->target);
  // One that had nothing to do for long is not stuck when the next event has just come.
  const double moved = seconds_between(view.moved_at, at);
  const double still = status.rebuild ? moved : std::min(moved, status.lag_seconds);
  const double too_long = static_cast<double>(tools_.generations.options.stalled_after.count()) / 1e3;
  if (!view.fault.empty()) {
    status.state = ProjectionState::kFaulted;
    status.reason = view.fault;
  } else if (view.paused) {
    status.state = ProjectionState::kPaused;
    status.reason = *view.paused;
  } else if (behind && still > too_long) {
    status.state = ProjectionState::kStalled;
    status.reason = view.retrying.empty() ? "it is behind and has not moved for " +
                                                std::to_string(static_cast<std::uint64_t>(still)) + " s"
                                          : view.retrying;
  } else if (status.rebuild) {
    status.state = ProjectionState::kRebuilding;
    status.reason = view.holds.empty() ? view.retrying : view.holds;
  } else {
    status.state = ProjectionState::kRunning;
    status.reason = view.retrying;
  }
  return status;
}

std::optional<RowsVerification> ProjectionRunner::verify_report() const {
  const std::lock_guard lock(view_mutex_);
  return view_.report;
}

std::shared_ptr<Generation> ProjectionRunner::serving(bool partial) const {
  const std::lock_guard lock(view_mutex_);
  return view_.live == nullptr && partial ? view_.building : view_.live;
}

std::vector<std::shared_ptr<ReadModel>> ProjectionRunner::models() const {
  const std::lock_guard lock(view_mutex_);
  std::vector<std::shared_ptr<ReadModel>> found;
  if (view_.live != nullptr) found.push_back(view_.live->model());
  if (view_.building != nullptr) found.push_back(view_.building->model());
  return found;
}

GlobalPosition ProjectionRunner::visible() const {
  const auto live = serving(false);
  return live == nullptr ? GlobalPosition{} : live->visible();
}

}  // namespace cairn
