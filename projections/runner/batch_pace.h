#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace cairn {

// How many positions the next batch of a generation has, so that a slow script takes about a second for it: a step
// cannot be divided, and commands, status and commits wait for its end. Pure: the caller measures.
class BatchPace {
 public:
  static constexpr std::chrono::milliseconds kStepTime{1'000};

  // nullopt: as many as the source gives.
  std::optional<std::uint64_t> positions_max() const { return positions_max_; }

  // A batch of `positions` was applied. REQUIRES: the source gives at most `most`.
  void applied(std::uint64_t positions, std::chrono::milliseconds time, std::uint64_t most) {
    if (time > kStepTime) {
      positions_max_ = std::max<std::uint64_t>(1, positions * static_cast<std::uint64_t>(kStepTime.count()) /
                                                      static_cast<std::uint64_t>(time.count()));
    } else if (positions_max_ && time < kStepTime / 2) {
      positions_max_ = *positions_max_ * 2;
      if (*positions_max_ >= most) positions_max_.reset();
    }
  }

  // A batch of `positions` was interrupted, and nothing of it was kept.
  void interrupted(std::uint64_t positions) { positions_max_ = std::max<std::uint64_t>(1, positions / 16); }

 private:
  std::optional<std::uint64_t> positions_max_;
};

}  // namespace cairn
