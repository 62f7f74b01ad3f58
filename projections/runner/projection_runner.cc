#include "projections/runner/projection_runner.h"

#include <algorithm>
#include <limits>
#include <random>
#include <utility>

#include "projections/runner/retry_delay.h"
#include "projections/runner/verification.h"

namespace cairn {

namespace {

// So often a throttled generation looks whether it may go on.
constexpr std::chrono::milliseconds kThrottlePause{20};

// What goes away by itself.
bool may_succeed_later(Errc code) { return code == Errc::kDiskFull || code == Errc::kOverloaded; }

double random_part() {
  thread_local std::minstd_rand generator{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(generator);
}

}  // namespace

ProjectionRunner::ProjectionRunner(RunnerTools tools, ProjectionFolder folder, RunnerDefinition definition)
    : tools_(std::move(tools)),
      folder_(std::move(folder)),
      definition_(std::move(definition)),
      live_seat_(tools_.generations.source),
      building_seat_(tools_.generations.source) {}

ProjectionRunner::~ProjectionRunner() { close(); }

void ProjectionRunner::notice(const std::string& message) const {
  const auto& tell = tools_.generations.options.on_notice;
  if (tell) tell("projection " + name() + ": " + message);
}

void ProjectionRunner::at(std::string_view point) const {
  if (tools_.generations.options.at_point) tools_.generations.options.at_point(point);
}

void ProjectionRunner::refresh_skipped() {
  for (const auto& generation : {live_, building_}) {
    if (generation == nullptr) continue;
    generation->set_skipped(tools_.audit.skipped(name(), generation->projection().info().fingerprint));
  }
}

ProjectionRunner::Step ProjectionRunner::step() {
  const std::lock_guard lock(mutex_);
  if (closed_) return {};
  Step step;
  try {
    step = step_locked();
  } catch (const std::exception& exception) {
    failed(make_error(Errc::kIo, std::string("it was interrupted: ") + exception.what()));
  }
  publish();
  return step;
}

ProjectionRunner::Step ProjectionRunner::step_locked() {
  if (!fault_.empty() || folder_.record().paused) return {};
  if (retry_at_) {
    const std::int64_t left = (retry_at_->micros - now().micros + 999) / 1'000;
    if (left > 0) return {false, std::chrono::milliseconds(left)};
    retry_at_.reset();
  }
  if (definition_pending_) {
    try_definition();
    if (definition_pending_) return {true, std::nullopt};
  }
  const GlobalPosition head = store().head();
  Step step;
  const auto run = [&](Result<bool> outcome) {
    if (outcome) {
      step.worked = step.worked || *outcome;
      return true;
    }
    failed(outcome.error());
    return false;
  };
  if (live_ != nullptr && !run(step_live())) return {true, std::nullopt};
  if (live_ != nullptr && !run(publish_position(head, step.wait))) return {true, std::nullopt};
  if (folder_.record().paused) return step;
  if (building_ != nullptr && !run(step_building(head))) return {true, std::nullopt};
  if (shadow_ != nullptr && !run(step_verify())) return {true, std::nullopt};
  attempts_ = 0;
  if (!step.worked && building_ != nullptr && folder_.record().events_per_second_max) {
    step.wait = std::min(step.wait.value_or(kThrottlePause), kThrottlePause);
  }
  return step;
}

Status ProjectionRunner::commit(Generation& generation, std::string_view what) {
  at("commit.before");
  if (Status status = generation.commit(); !status) {
    if (may_succeed_later(status.error().code)) return status;
    return make_error(status.error().code, std::string(what) + " could not be committed: " +
                                               status.error().message + "; start again to recover");
  }
  at("commit.after");
  return {};
}

Result<bool> ProjectionRunner::step_live() {
  if (live_->has_changes()) CAIRN_CHECK(commit(*live_, "the live generation"));  // What could not be before.
  if (live_->taken() >= store().head()) return false;
  CAIRN_TRY(const auto batch, live_seat_.read(live_->taken(), live_->filter()));
  if (batch->to() == batch->after()) return false;
  if (!live_->suits(*batch)) return true;
  if (Status status = live_->take(*batch); !status) {
    CAIRN_CHECK(live_->reset());
    return status.error();
  }
  if (live_->has_changes() || live_->commit_due()) CAIRN_CHECK(commit(*live_, "the live generation"));
  {
    const std::lock_guard lock(view_mutex_);
    view_.live_rate.add(batch->to().value - batch->after().value, now());
    view_.moved_at = now();
  }
  waiters_.reached(live_->visible());
  check_parked_limit(*live_);
  return true;
}

// What is parked by now is no reason to pause; what comes on top of it is.
void ProjectionRunner::accept_parked() {
  parked_accepted_ = 0;
  for (const auto& generation : {live_, building_}) {
    if (generation != nullptr) parked_accepted_ = std::max(parked_accepted_, generation->parked_count());
  }
}

// False when the record says now that it is paused.
bool ProjectionRunner::check_parked_limit(const Generation& generation) {
  const std::uint64_t most = tools_.generations.options.parked_keys_max;
  const std::uint64_t parked = generation.parked_count();
  if (parked < most || parked <= parked_accepted_) return true;
  parked_accepted_ = parked;
  ProjectionRecord record = folder_.record();
  record.paused = std::to_string(parked) + " keys are parked, and it pauses at " + std::to_string(most) +
                  ": mend what fails, retry or skip, then resume";
  notice("paused: " + *record.paused);
  if (Status status = folder_.save(std::move(record)); !status) failed(status.error());
  return false;
}

Result<std::shared_ptr<const EventBatch>> ProjectionRunner::next_for_building() {
  const auto most = folder_.record().events_per_second_max;
  if (!most) return building_seat_.read(building_->taken(), building_->filter());
  const double seconds = static_cast<double>(now().micros - throttle_since_.micros) / 1e6;
  const auto allowed = static_cast<std::uint64_t>(std::max(0.0, seconds) * static_cast<double>(*most));
  const std::uint64_t more = allowed > throttled_ ? allowed - throttled_ : 0;
  CAIRN_TRY(auto batch, tools_.generations.source.read_alone(
                            building_->taken(), {building_->taken().value + more}, building_->filter()));
  throttled_ += batch->to().value - batch->after().value;
  if (seconds > 1) {  // What was not used up long ago is not saved for later.
    throttle_since_ = now();
    throttled_ = 0;
  }
  return batch;
}

// The log behind a batch is read while that one is applied.
void ProjectionRunner::read_ahead(const EventBatch& batch) {
  const GenerationTools& tools = tools_.generations;
  if (folder_.record().events_per_second_max) return;
  // What is not a whole batch yet would be read too early.
  if (store().head().value - batch.to().value < tools.options.batch_positions_max) return;
  tools.pool.post(building_seat_.read_ahead(batch.to(), building_->filter()));
}

Result<bool> ProjectionRunner::step_building(GlobalPosition head) {
  bool worked = false;
  if (building_->taken() < store().head()) {
    CAIRN_TRY(const auto batch, next_for_building());
    if (!building_->suits(*batch)) return true;
    worked = batch->to() > batch->after();
    read_ahead(*batch);
    if (Status status = building_->take(*batch); !status) {
      CAIRN_CHECK(building_->reset());
      return status.error();
    }
    if (building_->commit_due()) CAIRN_CHECK(commit(*building_, "the generation being built"));
    const std::lock_guard lock(view_mutex_);
    view_.building_rate.add(batch->to().value - batch->after().value, now());
    if (worked) view_.moved_at = now();
  }
  if (!check_parked_limit(*building_)) return worked;
  const bool there = building_->taken() >= head && (live_ == nullptr || building_->taken() >= live_->taken());
  if (!there) return worked;
  if (!why_it_holds().empty()) {
    if (building_->has_changes()) CAIRN_CHECK(commit(*building_, "the generation being built"));
    return worked;
  }
  CAIRN_CHECK(take_over());
  return true;
}

// A script that fails where the one before did not should not take its place unasked.
std::string ProjectionRunner::why_it_holds() const {
  if (live_ == nullptr || building_ == nullptr) return "";
  const std::uint64_t now_parked = building_->parked_count();
  if (now_parked <= live_->parked_count()) return "";
  return std::to_string(now_parked) + " keys are parked in generation " +
         std::to_string(building_->number()) + ", " + std::to_string(live_->parked_count()) +
         " in the live one: mend the script and deploy it, retry, skip, or cancel the rebuild";
}

Status ProjectionRunner::take_over() {
  at("swap.before");
  CAIRN_CHECK(commit(*building_, "the generation being built"));
  at("swap.committed");
  ProjectionRecord record = folder_.record();
  std::vector<std::uint64_t> gone;
  if (record.live) record.previous.insert(record.previous.begin(), *record.live);
  while (record.previous.size() > tools_.generations.options.generations_kept) {
    record.code.erase(record.previous.back());
    record.previous.pop_back();
  }
  record.live = record.building;
  record.building.reset();
  record.events_per_second_max.reset();
  CAIRN_CHECK(folder_.save(std::move(record)));
  at("swap.recorded");
  previous_ = live_ == nullptr || folder_.record().previous.empty() ? nullptr : live_->model();
  live_ = std::exchange(building_, nullptr);
  fault_.clear();
  publish();
  at("swap.switched");
  folder_.sweep();
  at("swap.swept");
  if (const auto& tell = tools_.generations.options.on_event) {
    tell("projection " + name() + ": generation " + std::to_string(live_->number()) +
         " answers from now on, at position " + std::to_string(live_->visible().value));
  }
  waiters_.reached(live_->visible());
  return {};
}

Result<bool> ProjectionRunner::step_verify() {
  const auto update = [&](const auto& change) {
    const std::lock_guard lock(view_mutex_);
    if (view_.report) change(*view_.report);
  };
  const auto end = [&](const auto& change) {
    shadow_.reset();
    folder_.sweep();
    update([&](RowsVerification& report) {
      change(report);
      report.seconds = static_cast<double>(now().micros - report.started_at.micros) / 1e6;
    });
    return true;
  };
  const auto give_up = [&](const std::string& why) {
    return end([&](RowsVerification& report) {
      report.stage = RowsVerification::Stage::kFailed;
      report.error = why;
    });
  };
  if (live_ == nullptr ||
      live_->projection().info().fingerprint != shadow_->projection().info().fingerprint) {
    return give_up("another definition took over meanwhile");
  }
  if (shadow_->taken() < live_->taken()) {
    auto batch = tools_.generations.source.read_alone(shadow_->taken(), live_->taken(), shadow_->filter());
    if (!batch) return give_up(batch.error().message);
    if (!shadow_->suits(**batch)) return true;
    if (Status status = shadow_->take(**batch); !status) return give_up(status.error().message);
    if (shadow_->commit_due()) {
      if (Status status = shadow_->commit(); !status) return give_up(status.error().message);
    }
    update([&](RowsVerification& report) {
      report.position = shadow_->taken();
      report.target = live_->taken();
    });
    return true;
  }
  if (shadow_->taken() > live_->taken()) return give_up("the live generation went back");
  if (Status status = shadow_->commit(); !status) return give_up(status.error().message);
  RowsVerification report = *verify_report();
  report.stage = RowsVerification::Stage::kComparing;
  report.position = report.target = live_->taken();
  update([&](RowsVerification& shown) { shown = report; });
  if (Status status = compare_rows(live_->projection(), *live_->model(), *shadow_->model(), report);
      !status) {
    return give_up(status.error().message);
  }
  report.stage = RowsVerification::Stage::kDone;
  return end([&](RowsVerification& shown) { shown = report; });
}

void ProjectionRunner::failed(const Error& error) {
  const bool again = may_succeed_later(error.code);
  if (again) {
    const DaemonOptions& options = tools_.generations.options;
    const auto delay = retry_delay(options.retry_first, options.retry_max, attempts_++, random_part());
    retry_at_ = Timestamp{now().micros + delay.count() * 1'000};
  } else {
    fault_ = error.message;
  }
  notice(error.message + (again ? "; trying again" : ""));
  const std::lock_guard lock(view_mutex_);
  if (again) ++view_.retries;
  view_.retrying = again ? error.message : "";
  ProjectionError seen{error.message, std::nullopt, now()};
  if (error.position) seen.position = GlobalPosition{*error.position};
  if (!view_.first_error) view_.first_error = seen;
  view_.last_error = std::move(seen);
}

}  // namespace cairn
