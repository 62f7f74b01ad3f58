#pragma once

#include <cstdint>

#include "eventstore/base/checksum.h"
#include "eventstore/types.h"

namespace cairn {

// The end of the log, which the next block continues. Recovery finds it, the appender advances it, and a
// follower compares its own with it.
struct LogEnd {
  GlobalPosition last_position;
  Sha256 hash{};  // of the last block, or the chain's anchor
  std::uint64_t epoch = 0;
  Timestamp recorded_at;
};

}  // namespace cairn
