// What people ask of a projection.

#include <algorithm>
#include <utility>

#include "eventstore/base/file.h"
#include "projections/readmodel/lmdb_read_model.h"
#include "projections/runner/projection_runner.h"

namespace cairn {

namespace {

Error not_now(std::string why) { return make_error(Errc::kFailedPrecondition, std::move(why)); }

}  // namespace

Status ProjectionRunner::rebuild(std::optional<std::uint64_t> events_per_second_max) {
  const std::lock_guard lock(mutex_);
  if (building_ != nullptr && live_ != nullptr) {
    return not_now("generation " + std::to_string(building_->number()) + " of '" + name() +
                   "' is being built already; cancel it first to begin again");
  }
  ProjectionRecord record = folder_.record();
  record.events_per_second_max = events_per_second_max;
  record.definition = definition_.projection->info().fingerprint;
  const Status status = begin_building(std::move(record));
  publish();
  return status;
}

Status ProjectionRunner::cancel() {
  const std::lock_guard lock(mutex_);
  if (building_ == nullptr) return not_now("nothing of '" + name() + "' is being built");
  if (live_ == nullptr) {
    return not_now(
        "the first generation of '" + name() +
        "' is being built, and without it there are no rows; pause or delete the projection instead");
  }
  ProjectionRecord record = folder_.record();
  record.code.erase(building_->number());
  record.building.reset();
  record.events_per_second_max.reset();
  CAIRN_CHECK(folder_.save(std::move(record)));
  drop_building();
  folder_.sweep();
  publish();
  return {};
}

Status ProjectionRunner::rollback() {
  const std::lock_guard lock(mutex_);
  ProjectionRecord record = folder_.record();
  if (record.previous.empty() || live_ == nullptr) {
    return not_now("'" + name() + "' has no earlier generation to go back to");
  }
  if (building_ != nullptr) {
    return not_now("generation " + std::to_string(building_->number()) + " of '" + name() +
                   "' is being built; cancel it first");
  }
  const std::uint64_t number = record.previous.front();
  auto generation = open_generation(number);
  if (!generation) {
    return not_now("generation " + std::to_string(number) + " of '" + name() +
                   "' cannot be used: " + generation.error().message);
  }
  record.previous.front() = live_->number();
  record.live = number;
  at("rollback.before");
  CAIRN_CHECK(folder_.save(std::move(record)));
  at("rollback.recorded");
  previous_ = live_->model();
  live_ = *std::move(generation);
  shadow_.reset();
  fault_.clear();
  publish();
  return {};
}

Status ProjectionRunner::pause() {
  const std::lock_guard lock(mutex_);
  ProjectionRecord record = folder_.record();
  if (record.paused) return not_now("'" + name() + "' is paused already: " + *record.paused);
  record.paused = "somebody paused it";
  CAIRN_CHECK(folder_.save(std::move(record)));
  publish();
  return {};
}

// Also what could not go on may try again.
Status ProjectionRunner::resume() {
  const std::lock_guard lock(mutex_);
  ProjectionRecord record = folder_.record();
  if (!record.paused && fault_.empty()) return not_now("'" + name() + "' is not paused");
  record.paused.reset();
  CAIRN_CHECK(folder_.save(std::move(record)));
  fault_.clear();
  retry_at_.reset();
  for (const auto& generation : {live_, building_}) {
    if (generation != nullptr) CAIRN_CHECK(generation->reset());
  }
  accept_parked();
  {
    const std::lock_guard view(view_mutex_);
    view_.moved_at = now();
  }
  publish();
  return {};
}

Status ProjectionRunner::verify() {
  const std::lock_guard lock(mutex_);
  if (live_ == nullptr) return not_now("'" + name() + "' has no rows to compare yet");
  if (shadow_ != nullptr) return not_now("'" + name() + "' is being verified already");
  if (folder_.record().paused) return not_now("'" + name() + "' is paused; resume it first");
  std::error_code ignored;
  std::filesystem::remove_all(folder_.shadow(), ignored);
  ReadModelIdentity identity = live_->model()->identity();
  identity.made_at = now();
  CAIRN_TRY(std::shared_ptr<ReadModel> model, LmdbReadModel::create(folder_.shadow(), identity));
  CAIRN_TRY(shadow_, Generation::open(tools_.generations, live_->shared_projection(), std::move(model)));
  shadow_->set_skipped(tools_.audit.skipped(name(), live_->projection().info().fingerprint));
  const std::lock_guard view(view_mutex_);
  view_.report = RowsVerification{};
  view_.report->target = live_->taken();
  view_.report->started_at = now();
  return {};
}

Result<ProjectionRunner::Retried> ProjectionRunner::retry(const std::optional<std::string>& key) {
  const std::lock_guard lock(mutex_);
  refresh_skipped();
  Retried report;
  for (const auto& generation : {live_, building_}) {
    if (generation == nullptr) continue;
    for (const ParkedPlace& place : generation->parked_places()) {
      if (key && place.name != *key) continue;
      ++report.keys;
      const auto applied = generation->retry(place);
      if (!applied) {
        CAIRN_CHECK(generation->reset());
        publish();
        return applied.error();
      }
      report.events += *applied;
      if (!generation->is_parked(place)) ++report.released;
    }
  }
  accept_parked();
  publish();
  if (key && report.keys == 0) {
    return make_error(Errc::kNotFound, "nothing is parked at '" + *key + "' in '" + name() + "'");
  }
  return report;
}

Result<ProjectionRunner::Retried> ProjectionRunner::skip(const std::string& key, const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    bool found = false;
    for (const auto& generation : {live_, building_}) {
      if (generation == nullptr) continue;
      for (const auto by : {ParkedPlace::By::kKey, ParkedPlace::By::kStream}) {
        const ParkedPlace place{by, key};
        if (!generation->is_parked(place)) continue;
        CAIRN_CHECK(generation->commit());
        CAIRN_TRY(const auto entry, generation->model()->find_parked(place));
        if (!entry) continue;
        found = true;
        CAIRN_CHECK(tools_.audit.skip(
            {name(), generation->projection().info().fingerprint, place, entry->event.position, reason}));
      }
    }
    if (!found) {
      return make_error(Errc::kNotFound, "nothing is parked at '" + key + "' in '" + name() + "'");
    }
  }
  return retry(key);
}

void ProjectionRunner::flush() {
  const std::lock_guard lock(mutex_);
  if (closed_ || !fault_.empty()) return;
  const bool publish = tools_.generations.options.publish_position_every.has_value();
  if (publish && live_ != nullptr && live_->checkpoint() < live_->taken()) {
    if (Status status = commit(*live_, "the live generation"); !status) notice(status.error().message);
  }
  if (building_ == nullptr || !building_->has_changes()) return;
  if (Status status = commit(*building_, "the generation being built"); !status)
    notice(status.error().message);
}

// What readers in another process may wait for although no row changes. True when something was committed;
// else `wait` says when it is time for it.
Result<bool> ProjectionRunner::publish_position(GlobalPosition head,
                                                std::optional<std::chrono::milliseconds>& wait) {
  const auto every = tools_.generations.options.publish_position_every;
  if (!every || live_->taken() < head || live_->checkpoint() == live_->taken()) return false;
  const std::int64_t since = (now().micros - published_at_.micros) / 1'000;
  if (since >= 0 && since < every->count()) {
    wait = std::chrono::milliseconds(every->count() - since);
    return false;
  }
  CAIRN_CHECK(commit(*live_, "the live generation"));
  published_at_ = now();
  return true;
}

void ProjectionRunner::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  waiters_.close();
}

Status ProjectionRunner::remove_files() {
  const std::lock_guard lock(mutex_);
  CAIRN_ASSERT(closed_);
  live_.reset();
  building_.reset();
  previous_.reset();
  shadow_.reset();
  {
    const std::lock_guard view(view_mutex_);
    view_.live.reset();
    view_.building.reset();
  }
  return folder_.remove();
}

}  // namespace cairn
