#pragma once

#include "eventstore/base/result.h"
#include "eventstore/event_store.h"
#include "eventstore/log/block_log.h"

namespace cairn {

// A page of the events that a filter lets through, found by walking over the log: there is no list of them to
// ask. The names in a block tell whether its events need a look. See EventStore::read_log().
// REQUIRES: the limit was checked.
Result<LogPage> read_filtered_page(BlockLog& log, const LogQuery& query, GlobalPosition head);

}  // namespace cairn
