#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "eventstore/base/error.h"
#include "eventstore/base/log_event.h"
#include "eventstore/base/log_throttle.h"
#include "eventstore/base/mutex.h"
#include "projections/generation/parked_set.h"
#include "projections/projection_status.h"

namespace cairn {

// The lines of the log about one projection: parked keys, failures and their end. Each kind is logged at once
// and then at most once a minute; an end is logged only when the beginning was. The caller supplies the clock.
// Thread-safe.
class ProjectionLog {
 public:
  // The type of the event at a position, for a line about it; empty when it cannot be read.
  using TypeAt = std::function<std::string(GlobalPosition)>;

  ProjectionLog(LogSink sink, std::string name) : sink_(std::move(sink)), name_(std::move(name)) {}

  // Keys were parked in this generation, which has `parked_keys` of them now.
  void parked(const NewlyParked& news, std::uint64_t generation, std::uint64_t parked_keys,
              const TypeAt& type_at, Timestamp now) CAIRN_EXCLUDES(mutex_);

  // A step failed. `again`: it is retried; otherwise the projection is faulted.
  void failed(const Error& error, bool again, GlobalPosition position, Timestamp now) CAIRN_EXCLUDES(mutex_);

  // A step did not fail; `progress`: it applied events.
  void worked(bool progress, GlobalPosition position, Timestamp now) CAIRN_EXCLUDES(mutex_);

  // The status was looked at, as happens every second: the projection is stalled, or no longer. Also writes what
  // was held back about parked keys when it is due.
  void watched(const ProjectionStatus& status, const TypeAt& type_at, Timestamp now) CAIRN_EXCLUDES(mutex_);

  // Whether watched() may have something to write about a projection that has caught up.
  bool needs_watching() const CAIRN_EXCLUDES(mutex_);

 private:
  enum class Trouble : std::uint8_t { kNone, kRetrying, kStalled, kFaulted };
  struct HeldBack {
    NewlyParked news;
    std::uint64_t generation = 0;
    std::uint64_t parked_keys = 0;
  };

  void write_parked(const HeldBack& what, std::uint64_t suppressed, const TypeAt& type_at);
  void enter(Trouble trouble, GlobalPosition position, Timestamp now) CAIRN_REQUIRES(mutex_);
  void recovered(GlobalPosition position, Timestamp now) CAIRN_REQUIRES(mutex_);

  const LogSink sink_;
  const std::string name_;
  mutable Mutex mutex_;
  Trouble trouble_ CAIRN_GUARDED_BY(mutex_) = Trouble::kNone;  // that was logged
  Timestamp since_ CAIRN_GUARDED_BY(mutex_);
  GlobalPosition trouble_at_ CAIRN_GUARDED_BY(mutex_);
  LogThrottle parked_ CAIRN_GUARDED_BY(mutex_);
  LogThrottle retries_ CAIRN_GUARDED_BY(mutex_);
  LogThrottle stalls_ CAIRN_GUARDED_BY(mutex_);
  std::optional<HeldBack> held_back_ CAIRN_GUARDED_BY(mutex_);  // the newest of the suppressed ones
};

}  // namespace cairn
