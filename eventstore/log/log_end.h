#pragma once

#include <cstdint>

#include "eventstore/base/checksum.h"
#include "eventstore/format/block_header.h"
#include "eventstore/types.h"

namespace cairn {

// The end of the log, which the next block continues. Recovery finds it, the appender advances it, and a
// follower compares its own with it.
struct LogEnd {
  GlobalPosition last_position;
  std::uint64_t number = 0;  // of blocks without events behind it
  Sha256 hash{};             // of the last block, or the chain's anchor
  std::uint64_t epoch = 0;
  Timestamp recorded_at;

  LogPlace place() const { return {last_position, number}; }
};

}  // namespace cairn
