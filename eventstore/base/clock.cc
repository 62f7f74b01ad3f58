#include "eventstore/base/clock.h"

#include <chrono>

namespace cairn {

Timestamp system_time() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return Timestamp{std::chrono::duration_cast<std::chrono::microseconds>(now).count()};
}

}  // namespace cairn
