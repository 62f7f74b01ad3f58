#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

namespace cairn::api {

// Keeps strangers from filling the log: lets through a few lines a second and counts the rest. Any thread.
class LogThrottle {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr unsigned kLinesPerSecond = 5;

  // nullopt when the line is to be left out; else how many were left out since the last one let through.
  std::optional<std::uint64_t> take(Clock::time_point now) {
    std::lock_guard lock(mutex_);
    if (now - second_began_ >= std::chrono::seconds(1)) {
      second_began_ = now;
      lines_ = 0;
    }
    if (lines_ == kLinesPerSecond) {
      ++left_out_;
      return std::nullopt;
    }
    ++lines_;
    return std::exchange(left_out_, 0);
  }

 private:
  std::mutex mutex_;
  Clock::time_point second_began_;
  unsigned lines_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace cairn::api
