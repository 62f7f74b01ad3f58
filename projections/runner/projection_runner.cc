#include "projections/runner/projection_runner.h"

#include <fmt/format.h>

#include <malloc.h>

#include <algorithm>
#include <random>
#include <utility>

#include "projections/runner/parked_text.h"
#include "projections/runner/retry_delay.h"
#include "projections/runner/status_facts.h"

namespace cairn {

namespace {

// How often a throttled build checks whether its rate limit allows another batch.
constexpr std::chrono::milliseconds kThrottlePause{20};

// How long a step lets a command that waits for the runner go first.
constexpr std::chrono::milliseconds kCommandPause{1};

double random_part() {
  thread_local std::minstd_rand generator{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(generator);
}

// A build leaves hundreds of MiB of freed rows and batches with malloc, which keeps them in the arenas of the
// threads that built: all of it is given back to the system once, at the end of a build.
void give_back_free_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

Error nothing_parked(const std::string& key, const std::string& projection) {
  return make_error(Errc::kNotFound, "nothing is parked at '" + key + "' in '" + projection + "'");
}

}  // namespace

Result<std::unique_ptr<ProjectionRunner>> ProjectionRunner::open(RunnerTools tools,
                                                                 const std::filesystem::path& folder,
                                                                 RunnerDefinition definition) {
  CAIRN_TRY(GenerationSet generations, GenerationSet::open(tools, folder, std::move(definition)));
  std::unique_ptr<ProjectionRunner> runner(new ProjectionRunner(std::move(tools), std::move(generations)));
  runner->start();
  return runner;
}

ProjectionRunner::ProjectionRunner(RunnerTools tools, GenerationSet generations)
    : tools_(std::move(tools)),
      live_reader_(tools_.generations.source),
      building_reader_(tools_.generations.source),
      generations_(std::move(generations)),
      log_(tools_.options().on_log, generations_.name()),
      verifier_(tools_.generations) {}

ProjectionRunner::~ProjectionRunner() { close(); }

void ProjectionRunner::start() {
  const MutexLock lock(mutex_);
  view_.name = generations_.path().filename().string();
  view_.moved_at = now();
  throttle_.start(now());
  accept_parked();
  recover_position();
  try_definition();
  publish();
}

// Clients may know a position ahead of the checkpoint, because events that change no row are not committed
// each by itself. After a crash the log is read again as far as that position can have been: up to the first
// event that changes something, and no further than a checkpoint may be behind. A pause has committed it.
void ProjectionRunner::recover_position() {
  const auto& live = generations_.live();
  if (live == nullptr || generations_.record().paused) return;
  const GlobalPosition checkpoint = live->checkpoint();
  const std::uint64_t known_max =
      checkpoint.value + Generation::kCheckpointLagMax + tools_.options().batch_positions_max;
  while (live->taken().value < known_max) {
    const auto batch = tools_.generations.source.read_alone(live->taken(), {known_max}, live->filter());
    if (!batch) return failed(batch.error());
    if ((*batch)->to() == (*batch)->after() || !live->suits(**batch)) return;
    const auto unchanged = live->look_through(**batch);
    if (!unchanged) return failed(unchanged.error());
    if (!*unchanged) return;
  }
}

void ProjectionRunner::define(RunnerDefinition definition) {
  const Interruption::Command command(interruption());
  const MutexLock lock(mutex_);
  if (closed_) return;
  generations_.set_definition(std::move(definition));
  definition_pending_ = true;
  end_redrive("another definition was deployed");
  view_.fault.clear();
  try_definition();
  publish();
}

// A failure, for example a full disk, is retried by the steps that follow.
void ProjectionRunner::try_definition() {
  const auto change = generations_.apply_definition();
  if (!change) return failed(change.error());
  definition_pending_ = false;
  if (*change == GenerationSet::Change::kNone) return;
  if (*change == GenerationSet::Change::kBuildStarted) build_started();
  publish();  // The files of a generation go when readers no longer find it.
  generations_.sweep();
}

// A new build starts with a clean slate: neither faults nor errors nor rates of the one before count.
void ProjectionRunner::build_started() {
  throttle_.start(now());
  building_limit_ = {};
  building_pace_ = {};
  attempts_ = 0;
  retry_at_.reset();
  view_.fault.clear();
  view_.building_rate.clear();
  view_.first_error.reset();
  view_.last_error.reset();
  view_.moved_at = now();
}

ProjectionRunner::Step ProjectionRunner::step() {
  // A command that was waiting for the step before this one goes first.
  if (interruption().has_command()) return {false, kCommandPause};
  const MutexLock lock(mutex_);
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
  if (!view_.fault.empty()) {
    end_redrive(view_.fault);
    return {};
  }
  Step redriven;
  if (redrive_ && redrive_->runs()) {
    const auto outcome = step_redrive();
    if (!outcome) {
      failed(outcome.error());
      return {true, std::nullopt};
    }
    redriven = *outcome;
  }
  Step step = step_generations();
  step.worked = step.worked || redriven.worked;
  if (redriven.wait) step.wait = std::min(step.wait.value_or(*redriven.wait), *redriven.wait);
  return step;
}

ProjectionRunner::Step ProjectionRunner::step_generations() {
  if (generations_.record().paused) return {};
  if (retry_at_) {
    const std::int64_t left = (retry_at_->micros - now().micros + 999) / 1'000;
    if (left > 0) return {false, std::chrono::milliseconds(left)};
    retry_at_.reset();
  }
  if (definition_pending_) {
    try_definition();
    if (definition_pending_) return {true, std::nullopt};
  }
  if (skips_pending_) {
    if (Status status = apply_skips(); !status) {
      failed(status.error());
      return {true, std::nullopt};
    }
  }
  const GlobalPosition head = tools_.log().head();
  const auto& live = generations_.live();
  const auto& building = generations_.building();
  Step step;
  const auto run = [&](Result<bool> outcome) CAIRN_REQUIRES(mutex_) {
    if (outcome) {
      step.worked = step.worked || *outcome;
      return true;
    }
    failed(outcome.error());
    return false;
  };
  if (live != nullptr && !run(step_live())) return {true, std::nullopt};
  if (live != nullptr && !run(commit_position(head, step.wait))) return {true, std::nullopt};
  if (generations_.record().paused) return step;  // step_live() has parked too many keys.
  if (building != nullptr && !run(step_building(head))) return {true, std::nullopt};
  if (verifier_.runs()) {
    verifier_.step(*live);
    if (!verifier_.runs()) build_ended();
    step.worked = true;
  }
  attempts_ = 0;
  log_.worked(step.worked, visible(), now());
  if (!step.worked && building != nullptr && generations_.record().events_per_second_max) {
    step.wait = std::min(step.wait.value_or(kThrottlePause), kThrottlePause);
  }
  return step;
}

Result<bool> ProjectionRunner::step_live() {
  CAIRN_ASSERT(!closed_ && view_.fault.empty() && !generations_.record().paused);  // invariant 1
  Generation& live = *generations_.live();
  if (live.has_changes()) CAIRN_CHECK(generations_.commit_live());  // The last step could not commit them.
  if (is_at_limit(live, live_limit_)) {
    if (generations_.building() == nullptr) CAIRN_CHECK(pause_at_limit(live));
    return false;  // invariant 4
  }
  if (live.taken() >= tools_.log().head()) return false;
  CAIRN_TRY(const auto batch, next_for_live());
  if (batch->to() == batch->after()) return false;
  if (!live.suits(*batch)) return true;
  CAIRN_CHECK(take_paced(tools_.generations, live, *batch, live_pace_, SaveChanges::kYes));
  CAIRN_TRY(const bool again, went_back(live, live_limit_));
  if (again) return true;
  const bool has_changes = live.has_changes();
  if (has_changes || live.commit_due()) CAIRN_CHECK(generations_.commit_live());
  if (has_changes && tools_.options().on_rows_committed && !batch->events().empty()) {
    const Timestamp recorded_at = batch->events().front().stored.recorded_at;
    tools_.options().on_rows_committed(
        std::chrono::microseconds(std::max<std::int64_t>(now().micros - recorded_at.micros, 0)));
  }
  CAIRN_ASSERT(!live.has_changes() && live.visible() == live.taken(), live.visible().value);  // invariant 2
  view_.live_rate.add(batch->to().value - batch->after().value, now());
  view_.moved_at = now();
  publish();  // A client that waited for this position finds it in the status too.
  waiters_.reached(live.visible());
  if (is_at_limit(live, live_limit_) && generations_.building() == nullptr) CAIRN_CHECK(pause_at_limit(live));
  return true;
}

Result<std::shared_ptr<const EventBatch>> ProjectionRunner::next_for_live() {
  Generation& live = *generations_.live();
  if (live_limit_.stop_at && live.taken() < *live_limit_.stop_at) {
    return tools_.generations.source.read_alone(live.taken(), *live_limit_.stop_at, live.filter());
  }
  live_limit_.stop_at.reset();
  if (const auto positions = live_pace_.positions_max()) {
    return tools_.generations.source.read_alone(live.taken(), {live.taken().value + *positions},
                                                live.filter());
  }
  return live_reader_.read(live.taken(), live.filter());
}

// Commits the position of the live generation for readers in other processes, which see only what is
// committed, although no row has changed. True when it did; else `wait` says when it is due.
Result<bool> ProjectionRunner::commit_position(GlobalPosition head,
                                               std::optional<std::chrono::milliseconds>& wait) {
  const auto every = tools_.options().publish_position_every;
  const Generation& live = *generations_.live();
  if (!every || live.taken() < head || live.checkpoint() == live.taken()) return false;
  const std::int64_t since = (now().micros - position_committed_at_.micros) / 1'000;
  if (since >= 0 && since < every->count()) {
    wait = std::chrono::milliseconds(every->count() - since);
    return false;
  }
  CAIRN_CHECK(generations_.commit_live());
  position_committed_at_ = now();
  return true;
}

Result<bool> ProjectionRunner::step_building(GlobalPosition head) {
  CAIRN_ASSERT(!closed_ && view_.fault.empty() && !generations_.record().paused);  // invariant 1
  Generation& building = *generations_.building();
  if (is_at_limit(building, building_limit_)) {
    CAIRN_CHECK(pause_at_limit(building));
    return false;  // invariant 4
  }
  bool worked = false;
  if (building.taken() < tools_.log().head()) {
    CAIRN_TRY(const auto batch, next_for_building());
    if (!building.suits(*batch)) return true;
    worked = batch->to() > batch->after();
    read_ahead(*batch);
    CAIRN_CHECK(take_paced(tools_.generations, building, *batch, building_pace_, SaveChanges::kNo));
    const bool stops = building_limit_.stop_at && building.taken() >= *building_limit_.stop_at;
    const bool due = building.commit_due() || stops || is_at_limit(building, building_limit_) ||
                     (building.has_changes() && building.taken() >= head);
    if (due) CAIRN_CHECK(building.save());  // It may park events of rows that cannot be saved.
    CAIRN_TRY(const bool again, went_back(building, building_limit_));
    if (again) return true;
    if (due) CAIRN_CHECK(generations_.commit_building());
    view_.building_rate.add(batch->to().value - batch->after().value, now());
    if (worked) view_.moved_at = now();
  }
  if (is_at_limit(building, building_limit_)) {
    CAIRN_CHECK(pause_at_limit(building));
    return worked;
  }
  const auto& live = generations_.live();
  if (building.taken() < head || (live != nullptr && building.taken() < live->taken())) return worked;
  if (!generations_.why_building_holds().empty()) {
    if (building.has_changes()) CAIRN_CHECK(generations_.commit_building());
    return worked;
  }
  CAIRN_CHECK(take_over());
  return true;
}

Result<std::shared_ptr<const EventBatch>> ProjectionRunner::next_for_building() {
  Generation& building = *generations_.building();
  if (building_limit_.stop_at && building.taken() < *building_limit_.stop_at) {
    return tools_.generations.source.read_alone(building.taken(), *building_limit_.stop_at,
                                                building.filter());
  }
  building_limit_.stop_at.reset();
  const auto per_second_max = generations_.record().events_per_second_max;
  const auto positions_max = building_pace_.positions_max();
  if (!per_second_max && !positions_max) return building_reader_.read(building.taken(), building.filter());
  if (!per_second_max) {
    return tools_.generations.source.read_alone(building.taken(), {building.taken().value + *positions_max},
                                                building.filter());
  }
  const std::uint64_t allowed = throttle_.allowed(*per_second_max, now());
  const GlobalPosition to{building.taken().value + std::min(allowed, positions_max.value_or(allowed))};
  CAIRN_TRY(auto batch, tools_.generations.source.read_alone(building.taken(), to, building.filter()));
  throttle_.took(batch->to().value - batch->after().value, now());
  return batch;
}

// Reads the next batch on another thread while this one is applied.
void ProjectionRunner::read_ahead(const EventBatch& batch) {
  if (generations_.record().events_per_second_max || building_pace_.positions_max()) return;
  // Near the head a batch read now would be a short one.
  if (tools_.log().head().value - batch.to().value < tools_.options().batch_positions_max) return;
  tools_.generations.pool.post(building_reader_.read_ahead(batch.to(), generations_.building()->filter()));
}

Status ProjectionRunner::take_over() {
  CAIRN_CHECK(generations_.take_over());
  live_limit_ = std::exchange(building_limit_, {});
  live_pace_ = std::exchange(building_pace_, {});
  view_.fault.clear();
  publish();
  tools_.at("swap.switched");
  generations_.sweep();
  tools_.at("swap.swept");
  Generation& live = *generations_.live();
  live.release_memory();
  build_ended();
  tools_.log_line(LogEvent(LogLevel::kInfo, "projection-live",
                           fmt::format("Projection {}: generation {} answers from now on, at position {}",
                                       generations_.name(), live.number(), live.visible().value))
                      .with("projection", generations_.name())
                      .with("generation", live.number())
                      .with("position", live.visible().value));
  waiters_.reached(live.visible());
  return {};
}

void ProjectionRunner::build_ended() {
  tools_.generations.source.drop_kept();
  give_back_free_memory();
}

// The keys that are parked now do not stop a generation again; further ones do.
void ProjectionRunner::accept_parked() {
  const auto accepted = [](const std::shared_ptr<Generation>& generation) {
    return ParkedLimit{generation == nullptr ? 0 : generation->parked_count(), std::nullopt};
  };
  live_limit_ = accepted(generations_.live());
  building_limit_ = accepted(generations_.building());
}

std::uint64_t ProjectionRunner::parked_max(const ParkedLimit& limit) const {
  return std::max(tools_.options().parked_keys_max, limit.accepted + 1);
}

bool ProjectionRunner::is_at_limit(const Generation& generation, const ParkedLimit& limit) const {
  return generation.parked_count() >= parked_max(limit);
}

// A batch that parks more keys than the generation may park is not kept: the generation goes back, and the
// next batch ends at the event that parks the last one. Rows do not depend on where batches end. That event
// may park several keys, so only an earlier end is tried.
Result<bool> ProjectionRunner::went_back(Generation& generation, ParkedLimit& limit) {
  const std::uint64_t most = parked_max(limit);
  if (generation.parked_count() <= most) return false;
  const GlobalPosition stop_at = generation.parked_reached(most);
  if (stop_at >= generation.taken()) return false;
  CAIRN_CHECK(generation.reset());
  if (stop_at > generation.taken()) limit.stop_at = stop_at;
  return true;
}

// Commits what the build has gathered. What cannot be committed is applied again.
void ProjectionRunner::commit_gathered() {
  const auto& building = generations_.building();
  if (building == nullptr || (!building->has_changes() && building->checkpoint() == building->taken()))
    return;
  if (Status status = generations_.commit_building(); !status) {
    log_uncommitted(status.error());
  }
}

void ProjectionRunner::log_uncommitted(const Error& error) const {
  tools_.log_line(
      LogEvent(LogLevel::kWarning, "projection-uncommitted",
               fmt::format("Projection {} could not commit before it stops, and applies those events "
                           "again: {}",
                           generations_.name(), error.message))
          .with("projection", generations_.name())
          .with("error", error.message));
}

// Pauses the projection because too many keys are parked. Its position is committed first: invariant 3.
Status ProjectionRunner::pause_at_limit(const Generation& generation) {
  const auto& live = generations_.live();
  if (live != nullptr && live->checkpoint() < live->taken()) CAIRN_CHECK(generations_.commit_live());
  std::string reason =
      fmt::format("{} parked, and it pauses at {}: fix what fails, retry or skip, then resume",
                  keys_are(generation.parked_count()), tools_.options().parked_keys_max);
  CAIRN_CHECK(generations_.set_paused(reason));
  tools_.log_line(LogEvent(LogLevel::kError, "projection-paused",
                           fmt::format("Projection {} is paused: {}", generations_.name(), reason))
                      .with("projection", generations_.name())
                      .with("parkedKeys", generation.parked_count())
                      .with("position", generation.taken().value)
                      .with("reason", reason));
  return {};
}

// Brings the list of skipped events to the generations, and releases what waits behind one of them.
Status ProjectionRunner::apply_skips() {
  for (const auto& generation : generations_.all()) {
    Status status = generation->follow_skipped(generations_.skipped(generation->projection()));
    if (status) status = generation->release_skipped();
    if (!status) {
      CAIRN_CHECK(generation->reset());
      return status;
    }
  }
  if (verifier_.runs()) verifier_.follow_skipped(generations_.skipped(generations_.live()->projection()));
  skips_pending_ = false;
  return {};
}

void ProjectionRunner::failed(const Error& error) {
  if (error.code == Errc::kCancelled) return;  // The next step repeats it.
  const bool again = may_succeed_later(error.code);
  if (again) {
    const DaemonOptions& options = tools_.options();
    const auto delay = retry_delay(options.retry_first, options.retry_max, attempts_++, random_part());
    retry_at_ = Timestamp{now().micros + delay.count() * 1'000};
    view_.retrying = error.message;
    ++view_.retries;
  } else {
    retry_at_.reset();
    view_.retrying.clear();
    view_.fault = error.message;
  }
  CAIRN_ASSERT(retry_at_.has_value() == view_.fault.empty());  // invariant 5
  log_.failed(error, again, error.position ? GlobalPosition{*error.position} : visible(), now());
  ProjectionError seen{error.message, std::nullopt, now()};
  if (error.position) seen.position = GlobalPosition{*error.position};
  add_error(std::move(seen));
}

void ProjectionRunner::add_error(ProjectionError error) {
  if (!view_.first_error) view_.first_error = error;
  view_.last_error = std::move(error);
}

Status ProjectionRunner::rebuild(std::optional<std::uint64_t> events_per_second_max) {
  const Interruption::Command command(interruption());
  const MutexLock lock(mutex_);
  const Status started = generations_.start_build(events_per_second_max);
  if (started) build_started();
  publish();
  if (started) generations_.sweep();
  return started;
}

Result<bool> ProjectionRunner::redeploy(bool keep_rows) {
  const Interruption::Command command(interruption());
  const MutexLock lock(mutex_);
  CAIRN_TRY(const auto change, generations_.redeploy(keep_rows));
  if (change == GenerationSet::Change::kNone) return false;
  end_redrive("another definition was deployed");
  if (change == GenerationSet::Change::kBuildStarted) build_started();
  publish();
  generations_.sweep();
  return true;
}

Status ProjectionRunner::cancel() {
  const Interruption::Command command(interruption());
  const MutexLock lock(mutex_);
  CAIRN_CHECK(generations_.cancel_build());
  publish();
  generations_.sweep();
  build_ended();
  return {};
}

Status ProjectionRunner::rollback() {
  const Interruption::Command command(interruption());
  const MutexLock lock(mutex_);
  CAIRN_CHECK(generations_.rollback());
  end_redrive("the projection was rolled back");
  live_limit_ = {generations_.live()->parked_count(), std::nullopt};
  skips_pending_ = true;
  verifier_.stop("the projection was rolled back meanwhile");
  view_.fault.clear();
  publish();
  return {};
}

Status ProjectionRunner::pause() {
  const Interruption::Command command(interruption());
  const MutexLock lock(mutex_);
  if (const auto& paused = generations_.record().paused) {
    return wrong_state("'" + generations_.name() + "' is paused already: " + *paused);
  }
  const auto& live = generations_.live();
  if (live != nullptr && live->checkpoint() < live->taken()) CAIRN_CHECK(generations_.commit_live());
  commit_gathered();
  CAIRN_CHECK(generations_.set_paused("on request"));
  end_redrive("the projection was paused");
  publish();
  return {};
}

// Also lets a faulted projection try again.
Status ProjectionRunner::resume() {
  const Interruption::Command command(interruption());
  const MutexLock lock(mutex_);
  if (!generations_.record().paused && view_.fault.empty()) {
    return wrong_state("'" + generations_.name() + "' is not paused");
  }
  CAIRN_CHECK(generations_.set_paused(std::nullopt));
  view_.fault.clear();
  retry_at_.reset();
  for (const auto& generation : generations_.all()) CAIRN_CHECK(generation->reset());
  accept_parked();
  view_.moved_at = now();
  publish();
  return {};
}

Status ProjectionRunner::verify() {
  const Interruption::Command command(interruption());
  const MutexLock lock(mutex_);
  const std::string& name = generations_.name();
  if (generations_.live() == nullptr) return wrong_state("'" + name + "' has no rows to compare yet");
  if (verifier_.runs()) return wrong_state("'" + name + "' is being verified already");
  if (generations_.record().paused) return wrong_state("'" + name + "' is paused; resume it first");
  const Generation& live = *generations_.live();
  return verifier_.start(live, generations_.verify_folder(),
                         tools_.audit.skipped(name, live.projection().info().fingerprint));
}

Result<ProjectionRunner::Retried> ProjectionRunner::retry(const std::string& key) {
  return retry_rest({.key = key});
}

// The lock is released between two parts of a key, and a step goes first, so that a key at which many events wait
// does not hold up the live rows.
Result<ProjectionRunner::Retried> ProjectionRunner::retry_rest(KeyRetry retry) {
  while (true) {
    std::optional<RetriedPlace::Outcome> outcome;
    {
      const Interruption::Command command(interruption());
      const MutexLock lock(mutex_);
      if (closed_) return Interruption::error();
      CAIRN_TRY(outcome, retry_part(retry));
      if (!outcome && retry.report.keys == 0) return nothing_parked(retry.key, generations_.name());
    }
    if (!outcome) return retry.report;
    if (*outcome == RetriedPlace::Outcome::kUnfinished) step();
  }
}

// Returns what came of a part of one place that is not done; nullopt when all are.
Result<std::optional<RetriedPlace::Outcome>> ProjectionRunner::retry_part(KeyRetry& retry) {
  CAIRN_CHECK(follow_skips());
  for (const auto& generation : generations_.all()) {
    for (const auto by : {ParkedPlace::By::kStream, ParkedPlace::By::kKey}) {
      const ParkedPlace place{by, retry.key};
      if (retry.done.contains({generation->number(), by}) || !generation->is_parked(place)) continue;
      const auto began = std::chrono::steady_clock::now();
      const auto apply = [&]() -> Result<RetriedPlace> {
        CAIRN_CHECK(generation->commit());
        CAIRN_TRY(auto retried, generation->retry_some(place, retry.pace.events_max()));
        CAIRN_CHECK(generation->commit());
        return retried;
      };
      const auto retried = apply();
      if (!retried) {
        CAIRN_CHECK(generation->reset());
        publish();
        return retried.error();
      }
      const auto took = std::chrono::steady_clock::now() - began;
      retry.pace.applied(retried->looked_at, std::chrono::duration_cast<std::chrono::milliseconds>(took));
      retry.report.events += retried->events;
      if (retried->outcome != RetriedPlace::Outcome::kUnfinished) {
        retry.done.emplace(generation->number(), by);
        ++retry.report.keys;
        if (!generation->is_parked(place)) ++retry.report.released;
      }
      publish();
      return std::optional(retried->outcome);
    }
  }
  accept_parked();
  publish();
  return std::optional<RetriedPlace::Outcome>();
}

Status ProjectionRunner::follow_skips() {
  for (const auto& generation : generations_.all()) {
    if (Status status = generation->follow_skipped(generations_.skipped(generation->projection())); !status) {
      CAIRN_CHECK(generation->reset());
      return status;
    }
  }
  return {};
}

// One lock for the record and the first part: a step in between would release the key, and the retry would find
// nothing.
Result<ProjectionRunner::Retried> ProjectionRunner::skip(const std::string& key, const std::string& reason,
                                                         const RequestOrigin& origin) {
  KeyRetry retry{.key = key};
  {
    const Interruption::Command command(interruption());
    const MutexLock lock(mutex_);
    bool found = false;
    for (const auto& generation : generations_.all()) {
      for (const auto by : {ParkedPlace::By::kKey, ParkedPlace::By::kStream}) {
        const ParkedPlace place{by, key};
        if (!generation->is_parked(place)) continue;
        CAIRN_CHECK(generation->commit());
        CAIRN_TRY(const auto entry, generation->model()->find_parked(place));
        if (!entry) continue;
        if (entry->event.kind == kUnfinishedKind) {
          return wrong_state(fmt::format(
              "the event at position {} of '{}' has not failed: a retry of the key has not come to "
              "it yet; retry the key",
              entry->event.position.value, key));
        }
        found = true;
        skips_pending_ = true;  // The next step does what the retry below may fail to do.
        CAIRN_CHECK(tools_.audit.skip({generations_.name(), generation->projection().info().fingerprint,
                                       place, entry->event.position, reason, origin}));
      }
    }
    if (!found) return nothing_parked(key, generations_.name());
    while (true) {
      CAIRN_TRY(const auto outcome, retry_part(retry));
      if (!outcome) return retry.report;
      if (*outcome == RetriedPlace::Outcome::kUnfinished) break;
    }
  }
  return retry_rest(std::move(retry));
}

Result<RedriveReport> ProjectionRunner::start_redrive(const RedriveOptions& options,
                                                      const RequestOrigin& origin) {
  const Interruption::Command command(interruption());
  const MutexLock lock(mutex_);
  const std::string& name = generations_.name();
  if (closed_) return wrong_state("'" + name + "' is being closed");
  if (redrive_ && redrive_->runs()) {
    const RedriveReport& report = redrive_->report();
    return wrong_state(fmt::format("a retry of what is parked in '{}' is under way: {} of {} keys are tried",
                                   name, report.tried, report.keys));
  }
  if (!view_.fault.empty()) return wrong_state("'" + name + "' is faulted: " + view_.fault);
  CAIRN_CHECK(follow_skips());
  CAIRN_CHECK(tools_.audit.redrive_begun(name, options, origin));
  const std::uint64_t id = redrive_ ? redrive_->report().id + 1 : 1;
  redrive_.emplace(tools_.generations, id, options, origin, generations_.all());
  publish();
  return redrive_->report();
}

Status ProjectionRunner::cancel_redrive() {
  const Interruption::Command command(interruption());
  const MutexLock lock(mutex_);
  if (!redrive_ || !redrive_->runs()) {
    return wrong_state("no retry of what is parked in '" + generations_.name() + "' is under way");
  }
  end_redrive("on request");
  publish();
  return {};
}

Result<ProjectionRunner::Step> ProjectionRunner::step_redrive() {
  CAIRN_ASSERT(!closed_ && view_.fault.empty());
  tools_.at("redrive.before");
  CAIRN_TRY(const auto step, redrive_->step(generations_.all()));
  tools_.at("redrive.after");
  if (!redrive_->runs()) redrive_ended();
  return Step{step.worked, step.wait};
}

void ProjectionRunner::end_redrive(std::string_view why) {
  if (!redrive_ || !redrive_->runs()) return;
  redrive_->end(view_.fault.empty() ? RedriveState::kCancelled : RedriveState::kFailed, std::string(why));
  redrive_ended();
}

// The keys that failed again do not stop a generation; further ones do.
void ProjectionRunner::redrive_ended() {
  accept_parked();
  const RedriveReport& report = redrive_->report();
  if (Status noted = tools_.audit.redrive_ended(generations_.name(), report, redrive_->origin()); !noted) {
    tools_.log_line(
        LogEvent(LogLevel::kWarning, "audit-failed",
                 fmt::format("Projection {}: the outcome of a retry ({} of {} keys released) could not be "
                             "written to $audit: {}",
                             generations_.name(), report.released, report.keys, noted.error().message))
            .with("projection", generations_.name())
            .with("command", "retry")
            .with("error", noted.error().message));
  }
}

std::optional<RedriveReport> ProjectionRunner::redrive() const { return published().redrive; }

void ProjectionRunner::flush() {
  const MutexLock lock(mutex_);
  if (closed_ || !view_.fault.empty()) return;
  const auto& live = generations_.live();
  if (live != nullptr && live->checkpoint() < live->taken()) {
    if (Status status = generations_.commit_live(); !status) log_uncommitted(status.error());
  }
  commit_gathered();
}

void ProjectionRunner::close(std::string_view why) {
  {
    const MutexLock lock(mutex_);
    if (!closed_) end_redrive(why);
    closed_ = true;
    publish();
  }
  waiters_.close();
}

Status ProjectionRunner::remove_files() {
  const MutexLock lock(mutex_);
  CAIRN_ASSERT(closed_);
  verifier_.stop("the projection was removed meanwhile");
  {
    const MutexLock publishing(published_mutex_);
    published_.live.reset();
    published_.building.reset();
  }
  return generations_.remove();
}

void ProjectionRunner::publish() {
  const ProjectionRecord& record = generations_.record();
  const auto& live = generations_.live();
  const auto& building = generations_.building();
  for (const auto& generation : generations_.all()) {
    if (const auto parked = generation->take_newly_parked()) {
      add_error({parked->event.message, parked->event.position, parked->event.parked_at});
      log_.parked(*parked, generation->number(), generation->parked_count(), type_reader(), now());
    }
  }
  view_.paused = record.paused;
  if (!retry_at_) view_.retrying.clear();
  const bool caught_up = building != nullptr && building->taken() >= tools_.log().head();
  view_.holds = caught_up ? generations_.why_building_holds() : "";
  view_.previous = record.previous.empty() ? std::nullopt : std::optional(record.previous.front());
  view_.events_per_second_max = record.events_per_second_max;
  view_.fingerprint = live == nullptr ? "" : live->projection().info().fingerprint;
  view_.revision = generations_.definition().revision;

  Published next{view_,
                 live,
                 building,
                 building == nullptr ? GlobalPosition{} : building->taken(),
                 live == nullptr ? 0 : live->parked_count(),
                 building == nullptr ? 0 : building->parked_count(),
                 generations_.live_shapes(),
                 redrive_ ? std::optional(redrive_->report()) : std::nullopt};
  {
    const MutexLock lock(published_mutex_);
    // After reset() the build applies again what it had not committed.
    if (published_.building == building) {
      next.building_position = std::max(next.building_position, published_.building_position);
    }
    std::swap(published_, next);
  }
  // The view before goes here, outside the lock: it may close a read model.
}

ProjectionRunner::Published ProjectionRunner::published() const {
  const MutexLock lock(published_mutex_);
  return published_;
}

ProjectionStatus ProjectionRunner::status() const {
  const Published seen = published();
  StatusFacts facts;
  if (seen.live != nullptr) {
    ReadModel& model = *seen.live->model();
    facts.live = facts_of(model, seen.live->visible());
    if (seen.live_parked > 0) add_parked(*facts.live, model);
    facts.live->events_passed_over = seen.live->passed_over();
    facts.live->parked_keys = seen.live_parked;  // With those that are not committed yet.
    const auto& types = seen.live->projection().info().from.types;
    EventShapes& shapes = tools_.generations.source.shapes();
    facts.outdated = current_shapes_.mark(shapes, seen.live->number(), types) != seen.live_shapes;
  }
  if (seen.building != nullptr) {
    facts.building = facts_of(*seen.building->model(), seen.building_position);
    facts.building->parked_keys = seen.building_parked;
  }
  facts.head = tools_.log().head();
  const GlobalPosition position = facts.live ? facts.live->position : GlobalPosition{};
  if (facts.head > position) facts.next_event_at = appended_at(tools_.log(), {position.value + 1});
  return status_of(seen.view, facts, now(), tools_.options().stalled_after);
}

void ProjectionRunner::watch() {
  const Published seen = published();
  const bool caught_up = seen.live != nullptr && seen.building == nullptr && seen.view.fault.empty() &&
                         seen.live->visible() >= tools_.log().head();
  if (caught_up && !log_.needs_watching()) return;
  log_.watched(status(), type_reader(), now());
}

std::shared_ptr<Generation> ProjectionRunner::serving(bool partial) const {
  const MutexLock lock(published_mutex_);
  return published_.live == nullptr && partial ? published_.building : published_.live;
}

std::vector<std::shared_ptr<ReadModel>> ProjectionRunner::models() const {
  const MutexLock lock(published_mutex_);
  std::vector<std::shared_ptr<ReadModel>> found;
  if (published_.live != nullptr) found.push_back(published_.live->model());
  if (published_.building != nullptr) found.push_back(published_.building->model());
  return found;
}

GlobalPosition ProjectionRunner::visible() const {
  const auto live = serving(false);
  return live == nullptr ? GlobalPosition{} : live->visible();
}

}  // namespace cairn
