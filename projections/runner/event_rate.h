#pragma once

#include <cmath>
#include <cstdint>

#include "eventstore/base/clock.h"

namespace cairn {

// Events per second as an exponentially weighted moving average over about three seconds. Not thread-safe.
class EventRate {
 public:
  void add(std::uint64_t events, Timestamp now) {
    if (last_.micros == 0) {
      last_ = now;
      return;
    }
    gathered_ += static_cast<double>(events);
    const double seconds = static_cast<double>(now.micros - last_.micros) / 1e6;
    if (seconds < kShortest) return;
    const double weight = std::exp(-seconds / kMemorySeconds);
    rate_ = first_ ? gathered_ / seconds : rate_ * weight + gathered_ / seconds * (1 - weight);
    first_ = false;
    gathered_ = 0;
    last_ = now;
  }

  // The rate at `now`; it decays when no events were added lately.
  double per_second(Timestamp now) const {
    const double seconds = static_cast<double>(now.micros - last_.micros) / 1e6;
    return seconds <= kMemorySeconds ? rate_ : rate_ * std::exp(-(seconds - kMemorySeconds) / kMemorySeconds);
  }

  void clear() { *this = {}; }

 private:
  static constexpr double kShortest = 0.05;
  static constexpr double kMemorySeconds = 3;

  Timestamp last_;
  double gathered_ = 0;
  double rate_ = 0;
  bool first_ = true;
};

}  // namespace cairn
