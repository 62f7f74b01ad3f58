#pragma once

#include <algorithm>
#include <cstdint>

#include "eventstore/base/clock.h"

namespace cairn {

// The rate limit of a rebuild (events_per_second_max): how many positions of the log may be read now, at most
// those of one second: what was not used expires, so that neither a pause nor a start is followed by a burst.
// Not thread-safe.
class RebuildThrottle {
 public:
  void start(Timestamp now) {
    since_ = now;
    taken_ = 0;
  }

  std::uint64_t allowed(std::uint64_t per_second_max, Timestamp now) const {
    const auto total =
        static_cast<std::uint64_t>(std::max(0.0, seconds(now)) * static_cast<double>(per_second_max));
    return total > taken_ ? std::min(total - taken_, per_second_max) : 0;
  }

  void took(std::uint64_t positions, Timestamp now) {
    taken_ += positions;
    if (seconds(now) > 1) start(now);
  }

 private:
  double seconds(Timestamp now) const { return static_cast<double>(now.micros - since_.micros) / 1e6; }

  Timestamp since_;
  std::uint64_t taken_ = 0;  // since then
};

}  // namespace cairn
