#pragma once

#include <functional>

#include "eventstore/base/result.h"
#include "eventstore/format/block_reader.h"
#include "eventstore/index/block_summary.h"
#include "eventstore/index/index.h"
#include "eventstore/index/tail.h"
#include "eventstore/log/block_log.h"
#include "eventstore/log/log_end.h"

namespace cairn {

// What a block means for the index, read from the block itself. `find` gives the state of a stream before it.
using FindStream = std::function<Result<std::optional<StreamHead>>(std::string_view stream)>;
Result<BlockSummary> summarize(BlockReader& block, std::span<const std::byte> bytes, const FindStream& find);

// The end of the log as its last block tells it; of an empty one the anchor of the chain.
Result<LogEnd> read_end(BlockLog& log, const Uuid& store_id);

// Fails with kCorruption when the first block names another store. REQUIRES: the log is not empty.
Status check_owner(BlockLog& log, const Uuid& store_id);

// Reads the blocks the index does not have yet, checks them and their chain, and brings them into the tail;
// `flush` is called when the tail has grown enough. Returns where the log ends.
// Fails with kCorruption when the log is damaged, belongs to another store, or is behind its index.
Result<LogEnd> recover(BlockLog& log, const Index& index, Tail& tail, const Uuid& store_id,
                       const std::function<Status()>& flush);

}  // namespace cairn
