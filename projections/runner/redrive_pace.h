#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "eventstore/base/clock.h"

namespace cairn {

// How much of a redrive one step does, so that the batches of the log between two steps wait for a few tens of
// milliseconds. Pure: the caller measures.
class RedrivePace {
 public:
  static constexpr std::chrono::milliseconds kStepTime{25};
  static constexpr std::size_t kEventsFirst = 64;
  static constexpr std::size_t kEventsMax = 4'096;

  std::size_t events_max() const { return events_max_; }

  // A step with `events` events took `time`.
  void applied(std::size_t events, std::chrono::milliseconds time) {
    if (time > kStepTime) {
      events_max_ = std::max<std::size_t>(1, events_max_ / 2);
    } else if (events >= events_max_ && time < kStepTime / 2) {
      events_max_ = std::min(events_max_ * 2, kEventsMax);
    }
  }

  // A step was interrupted, and nothing of it was kept.
  void interrupted() { events_max_ = std::max<std::size_t>(1, events_max_ / 16); }

 private:
  std::size_t events_max_ = kEventsFirst;
};

// When the next key of a redrive with a rate limit is due. What a slow step delays is caught up for 100 ms at
// most. Pure: the caller supplies the clock.
class RedriveRate {
 public:
  RedriveRate(std::optional<std::uint64_t> keys_per_second, Timestamp now)
      : keys_per_second_(keys_per_second), due_(now) {}

  // nullopt: now. Rounded up.
  std::optional<std::chrono::milliseconds> wait(Timestamp now) const {
    if (!keys_per_second_ || due_ <= now) return std::nullopt;
    return std::chrono::milliseconds((due_.micros - now.micros + 999) / 1'000);
  }

  void took_key(Timestamp now) {
    if (!keys_per_second_) return;
    const auto interval = static_cast<std::int64_t>(1'000'000 / *keys_per_second_);
    due_ = {std::max(due_.micros, now.micros - kCatchUpMicros) + interval};
  }

 private:
  static constexpr std::int64_t kCatchUpMicros = 100'000;

  std::optional<std::uint64_t> keys_per_second_;
  Timestamp due_;
};

}  // namespace cairn
