#pragma once

#include <cstdint>
#include <functional>

namespace cairn {

// Wall-clock time in microseconds since 1970, UTC. Never decides an order; positions do.
struct Timestamp {
  std::int64_t micros = 0;
  friend auto operator<=>(Timestamp, Timestamp) = default;
};

// Where the store gets the time from. Tests give their own.
using Clock = std::function<Timestamp()>;

Timestamp system_time();

}  // namespace cairn
