#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace cairn {

// When to try again what may succeed the next time: after a random part of a time that doubles with each
// attempt, so that those who failed together do not come back together. `random` is from [0, 1).
inline std::chrono::milliseconds retry_delay(std::chrono::milliseconds first, std::chrono::milliseconds most,
                                             unsigned attempt, double random) {
  const unsigned doublings = std::min(attempt, 30u);
  const auto ceiling = std::min<std::int64_t>(most.count(), first.count() << doublings);
  return std::chrono::milliseconds(1 + static_cast<std::int64_t>(random * static_cast<double>(ceiling)));
}

}  // namespace cairn
