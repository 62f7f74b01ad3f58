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

// Whether every event of the range is returned.
bool selects_all(const LogQuery& query);

// kInvalidArgument for a name that does not begin with '$'.
Status check_system_stream(std::string_view stream);

StreamInfo stream_info_of(std::string_view name, const StreamHead& head);
Error no_such_stream(std::string_view stream);

// REQUIRES: the limit was checked.
Result<StreamPage> read_stream_page(BlockSource& log, std::string_view stream, const StreamHead& head,
                                    const StreamQuery& query);

// The positions that a page of the log goes through, in the direction of the query.
class PageRange {
 public:
  PageRange(const LogQuery& query, GlobalPosition head);

  // The first position; not in the range when that is empty.
  std::uint64_t start() const { return forward_ ? lowest_ : highest_; }
  bool contains(std::uint64_t position) const { return position >= lowest_ && position <= highest_; }
  std::uint64_t lowest() const { return lowest_; }
  std::uint64_t highest() const { return highest_; }
  std::uint64_t after(std::uint64_t position) const { return forward_ ? position + 1 : position - 1; }
  bool forward() const { return forward_; }

 private:
  bool forward_;
  std::uint64_t lowest_;  // at least 1
  std::uint64_t highest_;
};

// See LogReader. Reads some 30 blocks of a large log.
Result<GlobalPosition> first_recorded_at(BlockSource& log, Timestamp time, GlobalPosition head);

// Ignores the filter of the query. REQUIRES: the limit was checked.
Result<LogPage> read_log_page(BlockSource& log, const LogQuery& query, GlobalPosition head);

Result<GlobalPosition> scan_events(BlockSource& log, const ScanQuery& query, GlobalPosition head,
                                   const EventVisitor& visitor);

}  // namespace cairn
