#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "eventstore/base/clock.h"
#include "eventstore/base/log_throttle.h"

namespace cairn {

// Decides which lines are logged about a full disk: one when it refuses the first append, one when an append is
// stored again. A disk that is nearly full, where small appends succeed and large ones fail, would cause two
// lines for each of them: an episode that begins within a minute of the last line is logged when the minute is
// over, if it lasts. Not thread-safe.
class DiskFullEpisode {
 public:
  struct End {
    std::chrono::milliseconds lasted{0};
    std::uint64_t refused = 0;  // appends
  };

  // So many appends were refused. True when the line about the beginning is due.
  bool refused(std::uint64_t appends, Timestamp now) {
    refused_ += appends;
    if (!since_) since_ = now;
    if (logged_ || !throttle_.is_due(now)) return false;
    logged_ = true;
    return throttle_.take(now).has_value();
  }

  // A block was written. The values of the line about the end, when the beginning was logged.
  std::optional<End> written(Timestamp now) {
    if (!since_) return std::nullopt;
    const Timestamp began = *since_;
    since_.reset();
    if (!logged_) return std::nullopt;
    logged_ = false;
    const std::int64_t micros = now < began ? 0 : now.micros - began.micros;
    return End{std::chrono::milliseconds(micros / 1'000), std::exchange(refused_, 0)};
  }

 private:
  std::optional<Timestamp> since_;  // while the disk is full
  bool logged_ = false;             // the beginning was
  std::uint64_t refused_ = 0;       // since the end that was logged last
  LogThrottle throttle_;
};

}  // namespace cairn
