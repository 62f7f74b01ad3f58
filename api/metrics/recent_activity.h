#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace cairn::api {

// What was committed in the last minute, in a ring of seconds. The caller supplies the clock. Not thread-safe.
class RecentActivity {
 public:
  // Of a clock that never goes back.
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kSecondsMax = 60;

  explicit RecentActivity(Time started) : started_(second_of(started)) {}

  // One block became durable.
  void committed(Time now, std::uint64_t events, std::uint64_t appends, std::chrono::nanoseconds took);

  struct Summary {
    double events_per_second = 0;
    double appends_per_second = 0;
    std::uint64_t commits = 0;
    std::optional<double> commit_mean_seconds;  // nullopt without commits, as the next
    std::optional<double> commit_p99_seconds;   // 99 % took no longer; up to a fifth too high
  };
  // Of the last `seconds`, the one under way included; less when it started later. REQUIRES: 0 < seconds <=
  // kSecondsMax.
  Summary last(std::size_t seconds, Time now) const;

 private:
  // Buckets of a factor of 2^(1/4), the first up to a microsecond.
  static constexpr std::size_t kBuckets = 4 * 28;
  struct Second {
    std::int64_t second = -1;
    std::uint64_t events = 0;
    std::uint64_t appends = 0;
    std::uint64_t commits = 0;
    std::chrono::nanoseconds took{0};
    std::array<std::uint32_t, kBuckets> by_duration{};
  };
  static std::int64_t second_of(Time time) {
    return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
  }

  std::int64_t started_;
  std::array<Second, kSecondsMax> seconds_;
};

}  // namespace cairn::api
