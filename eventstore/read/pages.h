#pragma once

#include <cstdint>
#include <string_view>

#include "eventstore/base/result.h"
#include "eventstore/event_store.h"
#include "eventstore/index/stream_head.h"
#include "eventstore/log/block_log.h"

// Reads that need nothing but the log and, for a stream, its head; see EventStore for what they promise.
// `head` is the log's: nothing beyond it is looked at.
namespace cairn {

// Whether a page may have so many events: kInvalidArgument, kTooLarge.
Status check_page_limit(std::size_t limit);

StreamInfo stream_info_of(std::string_view name, const StreamHead& head);
Error no_such_stream(std::string_view stream);

// REQUIRES: the limit was checked.
Result<StreamPage> read_stream_page(BlockLog& log, std::string_view stream, const StreamHead& head,
                                    const StreamQuery& query);

// Where a page of the log begins; 0, or beyond the head, when there is nothing.
std::uint64_t page_start(const LogQuery& query, GlobalPosition head);

// Without regard to the query's filter. REQUIRES: the limit was checked.
Result<LogPage> read_log_page(BlockLog& log, const LogQuery& query, GlobalPosition head);

Result<GlobalPosition> scan_events(BlockLog& log, const ScanQuery& query, GlobalPosition head,
                                   const EventVisitor& visitor);

}  // namespace cairn
