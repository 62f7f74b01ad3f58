#pragma once

#include <functional>

#include "eventstore/base/result.h"
#include "eventstore/format/block_reader.h"
#include "eventstore/index/block_summary.h"
#include "eventstore/index/id_window.h"
#include "eventstore/index/index.h"
#include "eventstore/index/tail.h"
#include "eventstore/log/block_log.h"
#include "eventstore/log/log_end.h"

namespace cairn {

// What a block adds to `index`, read from the block itself: views of its bytes. REQUIRES: the block is open with
// kWholeBlock, and follows what tail and index have.
Result<BlockSummary> summarize(BlockReader& block, std::span<const std::byte> bytes, const Tail& tail,
                               const Index& index);

// The end of the log, from its last block; of an empty log the anchor of the hash chain.
Result<LogEnd> read_end(BlockSource& log, const Uuid& store_id);

// Fails with kCorruption when the first block names another store. REQUIRES: the log is not empty.
Status check_owner(BlockSource& log, const Uuid& store_id);

// Adds the newest days on which there were appends to `window`, as many as it needs. A block that cannot be
// read ends the search, so that fewer ids are dropped. Reads a few blocks for each day.
void add_recent_days(BlockSource& log, IdWindow& window);

// Reads the blocks that the index does not have yet, checks them and their hash chain, and applies them to
// the tail; calls `applied` with the last position after each block of events, which waits while the tail is
// full. Returns the end of the log.
// Fails with kCorruption when the log is damaged, belongs to another store, or is behind its index.
Result<LogEnd> recover(BlockSource& log, const Index& index, Tail& tail, const Uuid& store_id,
                       const std::function<Status(GlobalPosition)>& applied);

}  // namespace cairn
