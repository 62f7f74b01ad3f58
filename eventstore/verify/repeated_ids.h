#pragma once

#include <cstdint>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/log/block_log.h"
#include "eventstore/verify.h"

namespace cairn {

// The ids that several events up to `head` have.
struct RepeatedIds {
  std::uint64_t count = 0;
  std::vector<RepeatedId> first;  // at most kVerifyFindingsMax, by their first position
};

// Reads the log once, and again for each 32 million events, so that it needs at most 256 MiB; and once more if
// there are such ids. Fails with kCorruption for a damaged log, and when `progress` cancels.
Result<RepeatedIds> find_repeated_ids(BlockSource& log, GlobalPosition head, const VerifyProgress& progress);

}  // namespace cairn
