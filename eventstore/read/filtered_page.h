#pragma once

#include "eventstore/base/result.h"
#include "eventstore/event_page.h"
#include "eventstore/log/block_log.h"
#include "eventstore/queries.h"

namespace cairn {

// A page of the events that match a filter, found by walking over the log: a follower has no index, and the
// index has no list of what is not a system stream. The names in a block tell whether any of its events can
// match. See LogReader::read_log(). REQUIRES: the limit was checked.
Result<LogPage> read_filtered_page(BlockSource& log, const LogQuery& query, GlobalPosition head);

}  // namespace cairn
