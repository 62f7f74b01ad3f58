#include "projections/runner/projection_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace cairn {

void ProjectionLog::parked(const NewlyParked& news, std::uint64_t generation, std::uint64_t parked_keys,
                           const TypeAt& type_at, Timestamp now) {
  HeldBack what{news, generation, parked_keys};
  std::uint64_t suppressed = 0;
  {
    const MutexLock lock(mutex_);
    parked_.suppress(news.count - 1);
    const auto taken = parked_.take(now);
    if (!taken) {
      held_back_ = std::move(what);
      return;
    }
    held_back_.reset();
    suppressed = *taken;
  }
  write_parked(what, suppressed, type_at);
}

void ProjectionLog::write_parked(const HeldBack& what, std::uint64_t suppressed, const TypeAt& type_at) {
  const std::string type = type_at(what.news.event.position);
  const ParkedEvent& failed = what.news.event;
  const bool by_key = what.news.place.by == ParkedPlace::By::kKey;
  LogEvent event(
      LogLevel::kWarning, "key-parked",
      fmt::format("Projection {}: {} '{}' is parked at position {}{}: {}; {} {} parked in generation "
                  "{}",
                  name_, by_key ? "key" : "stream", what.news.place.name, failed.position.value,
                  type.empty() ? "" : " (" + type + ")", failed.message, what.parked_keys,
                  what.parked_keys == 1 ? "key is" : "keys are", what.generation));
  event.add("projection", name_);
  event.add("key", what.news.place.name);
  event.add("position", failed.position.value);
  if (!type.empty()) event.add("type", type);
  event.add("kind", failed.kind);
  event.add("error", failed.message);
  if (failed.line > 0) event.add("line", failed.line);
  event.add("parkedKeys", what.parked_keys);
  event.add("generation", what.generation);
  add_suppressed(event, suppressed);
  log_to(sink_, event);
}

void ProjectionLog::failed(const Error& error, bool again, GlobalPosition position, Timestamp now) {
  const MutexLock lock(mutex_);
  if (!again) {
    enter(Trouble::kFaulted, position, now);
    LogEvent event(LogLevel::kError, "projection-faulted",
                   fmt::format("Projection {} is faulted at position {} and stays so until it is resumed: {}",
                               name_, position.value, error.message));
    event.add("projection", name_);
    event.add("position", position.value);
    event.add("error", error.message);
    return log_to(sink_, event);
  }
  const auto suppressed = retries_.take(now);
  if (!suppressed) return;
  if (trouble_ == Trouble::kNone) enter(Trouble::kRetrying, position, now);
  LogEvent event(
      LogLevel::kWarning, "projection-retrying",
      fmt::format("Projection {} tries again at position {}: {}", name_, position.value, error.message));
  event.add("projection", name_);
  event.add("position", position.value);
  event.add("error", error.message);
  add_suppressed(event, *suppressed);
  log_to(sink_, event);
}

void ProjectionLog::worked(bool progress, GlobalPosition position, Timestamp now) {
  const MutexLock lock(mutex_);
  if (trouble_ == Trouble::kRetrying || trouble_ == Trouble::kFaulted ||
      (trouble_ == Trouble::kStalled && progress)) {
    recovered(position, now);
  }
}

void ProjectionLog::watched(const ProjectionStatus& status, const TypeAt& type_at, Timestamp now) {
  std::optional<HeldBack> parked;
  std::uint64_t suppressed = 0;
  {
    const MutexLock lock(mutex_);
    if (held_back_ && parked_.is_due(now)) {
      parked = std::exchange(held_back_, std::nullopt);
      parked->parked_keys = std::max(status.parked_keys, status.rebuild ? status.rebuild->parked_keys : 0);
      // The line is about one of them.
      suppressed = parked_.take(now).value_or(1) - 1;
    }
    switch (status.state) {
      case ProjectionState::kStalled: {
        if (trouble_ == Trouble::kStalled || trouble_ == Trouble::kFaulted) break;
        const auto passed = stalls_.take(now);
        if (!passed) break;
        enter(Trouble::kStalled, status.position, now);
        LogEvent event(LogLevel::kError, "projection-stalled",
                       fmt::format("Projection {} is stalled at position {}, {} events behind: {}", name_,
                                   status.position.value, status.lag_events, status.reason));
        event.add("projection", name_);
        event.add("position", status.position.value);
        event.add("head", status.head.value);
        event.add("lagEvents", status.lag_events);
        event.add("lagSeconds", status.lag_seconds);
        event.add("reason", status.reason);
        log_to(sink_, event);
        break;
      }
      case ProjectionState::kFaulted:  // another process builds it; failed() has logged it otherwise
        if (trouble_ == Trouble::kFaulted) break;
        enter(Trouble::kFaulted, status.position, now);
        log_to(sink_, LogEvent(LogLevel::kError, "projection-faulted",
                               fmt::format("Projection {} is faulted at position {}: {}", name_,
                                           status.position.value, status.reason))
                          .with("projection", name_)
                          .with("position", status.position.value)
                          .with("error", status.reason));
        break;
      case ProjectionState::kPaused:
        trouble_ = Trouble::kNone;
        break;
      case ProjectionState::kRunning:
      case ProjectionState::kRebuilding:
        // After a resume it is running until its next step: that step tells whether it has recovered.
        if (trouble_ == Trouble::kStalled ||
            (trouble_ == Trouble::kFaulted && (status.lag_events == 0 || status.position > trouble_at_))) {
          recovered(status.position, now);
        }
        break;
    }
  }
  if (parked) write_parked(*parked, suppressed, type_at);
}

bool ProjectionLog::needs_watching() const {
  const MutexLock lock(mutex_);
  return trouble_ != Trouble::kNone || held_back_.has_value();
}

void ProjectionLog::enter(Trouble trouble, GlobalPosition position, Timestamp now) {
  if (trouble_ == Trouble::kNone) since_ = now;
  trouble_ = trouble;
  trouble_at_ = position;
}

void ProjectionLog::recovered(GlobalPosition position, Timestamp now) {
  trouble_ = Trouble::kNone;
  const auto ms = static_cast<std::uint64_t>(std::max<std::int64_t>(0, now.micros - since_.micros)) / 1'000;
  log_to(sink_, LogEvent(LogLevel::kInfo, "projection-recovered",
                         fmt::format("Projection {} has recovered after {} ms, at position {}", name_, ms,
                                     position.value))
                    .with("projection", name_)
                    .with("durationMs", ms)
                    .with("position", position.value));
}

}  // namespace cairn
