#pragma once

#include <functional>

#include "eventstore/base/result.h"
#include "eventstore/format/block_reader.h"
#include "eventstore/log/block_log.h"

namespace cairn {

// Called with each block, checked and open; `bytes` are the block's. Return false to stop.
using BlockVisitor = std::function<Result<bool>(BlockReader& block, std::span<const std::byte> bytes)>;

// Visits the blocks of events from the one that holds `from` to the one that holds `to`, in order, in place,
// and the blocks without events between them. The read transaction is renewed every 20 ms, so a long scan
// does not keep LMDB from reusing old pages. Fails with kCorruption when a block is damaged or does not
// follow the one before.
Status scan_blocks(BlockSource& log, GlobalPosition from, GlobalPosition to, const BlockVisitor& visit);

// The same for all blocks between two places, at each of which a block ends, or the log begins.
Status scan_between(BlockSource& log, const LogPlace& from, const LogPlace& to, const BlockVisitor& visit);

}  // namespace cairn
