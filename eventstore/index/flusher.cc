#include "eventstore/index/flusher.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "eventstore/base/assert.h"

namespace cairn {
namespace {

// Appends wait for the log and seldom for the index, so the log's threads get the processors first.
constexpr int kFlushNiceness = 10;
constexpr std::chrono::seconds kRetryAfter{1};
// How much of the time between two flushes that follow one another goes to idle steps: a merge that never ran
// would let reads search more and more runs.
constexpr std::chrono::milliseconds kIdleStepsAtOnce{100};
constexpr std::chrono::minutes kMaintenanceInterval{1};
constexpr auto kNever = std::chrono::steady_clock::time_point::max();

}  // namespace

Flusher::Flusher(Index& index, Tail& tail, const Uuid& store_id, Options options)
    : index_(index), tail_(tail), store_id_(store_id), options_(std::move(options)) {
  CAIRN_ASSERT(options_.flush_at.events <= options_.max.events, options_.flush_at.events,
               options_.max.events);
  // Else the writer thread could wait for room that no flush makes: the cache and an active generation that is
  // too small to be flushed must stay below the bound together.
  CAIRN_ASSERT(options_.flush_at.bytes + cache_bytes_max() <= options_.max.bytes, options_.flush_at.bytes,
               options_.max.bytes);
  idle_ = !options_.idle_step;
  thread_.start({.name = "cairn-flush", .niceness = kFlushNiceness, .wake = wake_all(mutex_, changed_)},
                [this](const std::stop_token& stop) { run(stop); });
}

Status Flusher::make_room() {
  const Tail::Sizes sizes = tail_.sizes();
  if (!sizes.active.reaches(options_.flush_at) && !sizes.all.reaches(options_.max)) return {};
  MutexLock lock(mutex_);
  if (!std::exchange(wanted_, true)) changed_.notify_all();
  changed_.wait(lock, [this]() CAIRN_REQUIRES(mutex_) {
    return failure_.has_value() || !tail_.sizes().all.reaches(options_.max);
  });
  if (!tail_.sizes().all.reaches(options_.max)) return {};
  return *failure_;
}

Status Flusher::flush() {
  ++waiting_;
  // Twice: the first call may only finish the generation that is frozen already, without the events after it.
  Status status = flush_once();
  if (status.ok()) status = flush_once();
  --waiting_;
  return status;
}

Status Flusher::flush_once() {
  const FairMutexLock writing(flush_mutex_);
  const auto generation = tail_.freeze();
  if (generation == nullptr) return {};
  // When the active generation is full too, appends are about to wait in make_room().
  const auto urgent = [this] { return waiting_ > 0 || tail_.sizes().active.reaches(options_.flush_at); };
  const auto began = std::chrono::steady_clock::now();
  const Status status = index_.flush(*generation, store_id_, options_.first_id_day(), urgent);
  if (status.ok()) {
    tail_.drop_frozen(cache_bytes_max());
    ++flushes_;
    const auto took = std::chrono::steady_clock::now() - began;
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
    log_to(options_.on_log, LogEvent(LogLevel::kDebug, "index-flushed",
                                     fmt::format("The tail was written to the index in {} ms", ms))
                                .with("durationMs", ms));
    if (std::exchange(failure_logged_, false)) {
      log_to(options_.on_log, LogEvent(LogLevel::kInfo, "index-flushed-again", "The index is flushed again"));
    }
  }
  bool new_failure = false;
  {
    const MutexLock lock(mutex_);
    new_failure = !status.ok() && (!failure_ || failure_->code != status.error().code);
    failure_ = status.ok() ? std::nullopt : std::optional(status.error());
  }
  changed_.notify_all();
  if (new_failure) report(status.error());
  return status;
}

// False when no step is left, or one has failed.
bool Flusher::take_idle_step() {
  const FairMutexLock writing(flush_mutex_);
  const auto more = options_.idle_step();
  if (more.ok()) {
    return *more;
  }
  const bool may_pass = more.error().code == Errc::kDiskFull || more.error().code == Errc::kIo;
  idle_retry_at_ = std::chrono::steady_clock::now();
  idle_retry_at_ += may_pass ? std::chrono::seconds(kRetryAfter) : std::chrono::seconds(kMaintenanceInterval);
  if (const auto suppressed = idle_failures_.take(options_.clock())) {
    LogEvent event(LogLevel::kWarning, "index-tidy-failed",
                   "The index could not be tidied, which is tried again: " + more.error().message);
    event.add("error", more.error().message);
    add_suppressed(event, *suppressed);
    log_to(options_.on_log, event);
  }
  return false;
}

// Until a flush is wanted, but for some time in any case.
void Flusher::take_idle_steps(const std::stop_token& stop) {
  const auto until = std::chrono::steady_clock::now() + kIdleStepsAtOnce;
  const auto interrupted = [&] {
    const MutexLock lock(mutex_);
    return stop.stop_requested() || waiting_ > 0 || (wanted_ && std::chrono::steady_clock::now() >= until);
  };
  while (!idle_ && !interrupted()) idle_ = !take_idle_step();
}

void Flusher::report(const Error& error) {
  const bool may_pass = error.code == Errc::kDiskFull || error.code == Errc::kIo;
  if (!may_pass) {
    if (options_.on_fatal) options_.on_fatal("the index could not be flushed: " + error.message);
    return;
  }
  const auto suppressed = failures_.take(options_.clock());
  if (!suppressed) return;
  failure_logged_ = true;
  LogEvent event(
      LogLevel::kWarning, "index-flush-failed",
      fmt::format("The index could not be flushed, which is tried again every second; {} events wait "
                  "in memory: {}",
                  tail_.sizes().all.events, error.message));
  event.add("events", tail_.sizes().all.events);
  event.add("error", error.message);
  add_suppressed(event, *suppressed);
  log_to(options_.on_log, event);
}

void Flusher::run(const std::stop_token& stop) {
  auto maintenance_at = std::chrono::steady_clock::now() + kMaintenanceInterval;
  MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    if (failure_) {
      // A full disk seldom has space again at once, so new requests do not shorten the wait.
      changed_.wait_for(lock, kRetryAfter, [&] { return stop.stop_requested(); });
    } else {
      changed_.wait_until(lock, std::min(maintenance_at, idle_retry_at_), [&]() CAIRN_REQUIRES(mutex_) {
        return stop.stop_requested() || wanted_ || !idle_;
      });
      if (std::chrono::steady_clock::now() >= idle_retry_at_) {
        idle_retry_at_ = kNever;
        idle_ = false;
      }
    }
    if (stop.stop_requested()) return;
    if (std::exchange(wanted_, false) || failure_) {
      lock.unlock();
      static_cast<void>(flush_once());
      lock.lock();
      idle_ = !options_.idle_step;
    }
    if (!idle_ && !failure_) {
      lock.unlock();
      take_idle_steps(stop);
      lock.lock();
    }
    if (std::chrono::steady_clock::now() >= maintenance_at) {
      lock.unlock();
      if (options_.each_minute) options_.each_minute();
      lock.lock();
      maintenance_at = std::chrono::steady_clock::now() + kMaintenanceInterval;
    }
  }
}

}  // namespace cairn
