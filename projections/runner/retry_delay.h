#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace cairn {

// Exponential backoff with full jitter: a random part of a time that doubles with each attempt, so that
// projections that failed together do not retry together. `random` is from [0, 1). Pure.
inline std::chrono::milliseconds retry_delay(std::chrono::milliseconds first, std::chrono::milliseconds most,
                                             unsigned attempt, double random) {
  const unsigned doublings = std::min(attempt, 30u);
  const auto ceiling = std::min<std::int64_t>(most.count(), first.count() << doublings);
  return std::chrono::milliseconds(1 + static_cast<std::int64_t>(random * static_cast<double>(ceiling)));
}

}  // namespace cairn
