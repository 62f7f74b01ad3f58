#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "eventstore/base/clock.h"

namespace cairn::test {

// A clock that advances only when a test says so. Copies of its function share the time.
class ManualClock {
 public:
  static constexpr std::int64_t kSecond = 1'000'000;
  static constexpr std::int64_t kHour = 3600 * kSecond;
  static constexpr std::int64_t kDay = 24 * kHour;
  static constexpr std::int64_t kStart = 20'000 * kDay + 12 * kHour;  // noon of a day in 2024

  Timestamp now() const { return {micros_->load()}; }
  void set(Timestamp time) { micros_->store(time.micros); }
  void advance(std::int64_t micros) { micros_->fetch_add(micros); }
  void advance_days(std::int64_t days) { advance(days * kDay); }

  Clock function() const {
    return [micros = micros_] { return Timestamp{micros->load()}; };
  }

 private:
  std::shared_ptr<std::atomic<std::int64_t>> micros_ = std::make_shared<std::atomic<std::int64_t>>(kStart);
};

}  // namespace cairn::test
