#pragma once

#include <cstdint>
#include <string_view>

#include "eventstore/base/result.h"
#include "eventstore/event_page.h"
#include "eventstore/index/stream_head.h"
#include "eventstore/log/block_log.h"
#include "eventstore/queries.h"

// Reads that need the log and, for a stream, its head, but no index; see LogReader and EventStore for their
// contracts. `head` is the head of the log: nothing beyond it is read. Any thread.
namespace cairn {

// Whether a page may have `limit` events: kInvalidArgument for 0, kTooLarge beyond limits::kPageEventsMax.
Status check_page_limit(std::size_t limit);

// kInvalidArgument for a name that does not begin with '$'.
Status check_system_stream(std::string_view stream);

StreamInfo stream_info_of(std::string_view name, const StreamHead& head);
Error no_such_stream(std::string_view stream);

// REQUIRES: the limit was checked.
Result<StreamPage> read_stream_page(BlockSource& log, std::string_view stream, const StreamHead& head,
                                    const StreamQuery& query);

// The position where a page of the log begins; 0, or beyond the head, when the page is empty.
std::uint64_t page_start(const LogQuery& query, GlobalPosition head);

// Ignores the filter of the query. REQUIRES: the limit was checked.
Result<LogPage> read_log_page(BlockSource& log, const LogQuery& query, GlobalPosition head);

Result<GlobalPosition> scan_events(BlockSource& log, const ScanQuery& query, GlobalPosition head,
                                   const EventVisitor& visitor);

}  // namespace cairn
