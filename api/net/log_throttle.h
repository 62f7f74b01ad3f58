#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "eventstore/base/mutex.h"

namespace cairn::api {

// Rate limit for log lines that clients can cause, so that they cannot fill the log: lets through
// kLinesPerSecond and counts the rest. Thread-safe.
class LogThrottle {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr unsigned kLinesPerSecond = 5;

  // nullopt when the line must not be logged; else how many lines were suppressed since the last one.
  std::optional<std::uint64_t> take(Clock::time_point now) {
    const MutexLock lock(mutex_);
    if (now - second_began_ >= std::chrono::seconds(1)) {
      second_began_ = now;
      lines_ = 0;
    }
    if (lines_ == kLinesPerSecond) {
      ++suppressed_;
      return std::nullopt;
    }
    ++lines_;
    return std::exchange(suppressed_, 0);
  }

 private:
  Mutex mutex_;
  Clock::time_point second_began_ CAIRN_GUARDED_BY(mutex_);
  unsigned lines_ CAIRN_GUARDED_BY(mutex_) = 0;
  std::uint64_t suppressed_ CAIRN_GUARDED_BY(mutex_) = 0;
};

}  // namespace cairn::api
