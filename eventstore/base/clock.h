#pragma once

#include <cstdint>
#include <functional>

namespace cairn {

// Wall-clock time in microseconds since 1970, UTC. Events are ordered by position, never by time.
struct Timestamp {
  std::int64_t micros = 0;
  friend auto operator<=>(Timestamp, Timestamp) = default;
};

// The source of time. Tests pass their own.
using Clock = std::function<Timestamp()>;

Timestamp system_time();

}  // namespace cairn
