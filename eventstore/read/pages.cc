#include "eventstore/read/pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "eventstore/base/assert.h"
#include "eventstore/base/limits.h"
#include "eventstore/read/block_filter.h"
#include "eventstore/read/event_source.h"
#include "eventstore/read/log_scan.h"

namespace cairn {
namespace {

// Copies versions `from` down to `to` of a stream, along the events' back pointers.
Status copy_backward(EventSource& events, std::string_view stream, const StreamHead& head, std::uint64_t from,
                     std::uint64_t to, std::size_t bytes_max, EventPage& page) {
  CAIRN_TRY(GlobalPosition position, position_of(events, stream, head, {from}));
  for (std::uint64_t version = from; version >= to; --version) {
    CAIRN_TRY(const StoredEvent stored, event_of(events, position, stream, {version}));
    page.add(stored.event);
    position = {stored.previous};
    if (page.bytes() > bytes_max) return {};
  }
  return {};
}

}  // namespace

Status check_page_limit(std::size_t limit) {
  if (limit == 0) return make_error(Errc::kInvalidArgument, "limit is 0: it must be at least 1");
  if (limit > limits::kPageEventsMax) {
    Error error =
        make_error(Errc::kTooLarge, fmt::format("limit {} is over {}", limit, limits::kPageEventsMax));
    error.limit = limits::kPageEventsMax;
    return error;
  }
  return {};
}

bool selects_all(const LogQuery& query) {
  return query.filter.matches_all() ||
         std::any_of(query.or_any_of.begin(), query.or_any_of.end(),
                     [](const EventFilter& filter) { return filter.matches_all(); });
}

Status check_system_stream(std::string_view stream) {
  if (is_system_stream(stream)) return {};
  return make_error(Errc::kInvalidArgument,
                    "'" + std::string(stream) + "' is not a system stream: its name does not begin with '$'");
}

StreamInfo stream_info_of(std::string_view name, const StreamHead& head) {
  return {.stream = std::string(name),
          .version = head.version,
          .first_position = head.first_position,
          .last_position = head.last_position(),
          .created_at = head.created_at,
          .updated_at = head.updated_at};
}

Error no_such_stream(std::string_view stream) {
  Error error = make_error(Errc::kNotFound, "there is no stream '" + std::string(stream) + "'");
  error.stream = stream;
  return error;
}

Result<StreamPage> read_stream_page(BlockSource& log, std::string_view stream, const StreamHead& head,
                                    const StreamQuery& query) {
  CAIRN_ASSERT(query.limit > 0 && query.limit <= limits::kPageEventsMax, query.limit);
  const std::uint64_t newest = head.version.value;
  LogEvents events(log);
  StreamPage page{.version = head.version, .events = {}, .next = {}};

  if (query.direction == Direction::kBackward) {
    const std::uint64_t from = std::min(query.from ? query.from->value : newest, newest);
    if (from == 0) return page;
    const std::uint64_t to = from - std::min<std::uint64_t>(query.limit, from) + 1;
    CAIRN_CHECK(copy_backward(events, stream, head, from, to, query.bytes_max, page.events));
    const std::uint64_t last = page.events.events().back().version.value;
    if (last > 1) page.next = StreamVersion{last - 1};
    return page;
  }

  const std::uint64_t from = std::max<std::uint64_t>(query.from ? query.from->value : 1, 1);
  if (from > newest) return page;
  // Events point backward, so a forward page is read from its end. If it exceeds bytes_max, the first half
  // of it becomes the page.
  for (std::uint64_t count = std::min<std::uint64_t>(query.limit, newest - from + 1);; count /= 2) {
    EventPage copied;
    const std::uint64_t to = from + count - 1;
    CAIRN_CHECK(copy_backward(events, stream, head, to, from, query.bytes_max, copied));
    if (copied.size() < count && count > 1) continue;
    copied.reverse();
    page.events = std::move(copied);
    if (to < newest) page.next = StreamVersion{to + 1};
    return page;
  }
}

PageRange::PageRange(const LogQuery& query, GlobalPosition head)
    : forward_(query.direction == Direction::kForward) {
  const auto& low = forward_ ? query.from : query.until;
  const auto& high = forward_ ? query.until : query.from;
  lowest_ = std::max<std::uint64_t>(low ? low->value : 1, 1);
  highest_ = std::min(high ? high->value : head.value, head.value);
}

// Times never decrease in the log, so the block is found by bisection. All events of a block have its time.
Result<GlobalPosition> first_recorded_at(BlockSource& log, Timestamp time, GlobalPosition head) {
  CAIRN_TRY(const auto cursor, log.cursor());
  std::uint64_t from = 1, to = head.value + 1;  // the answer is in [from, to]
  BlockReader block;
  while (from < to) {
    const std::uint64_t middle = from + (to - from) / 2;
    CAIRN_TRY(const auto found, cursor->seek({middle}));
    if (found) CAIRN_CHECK(block.open(found->bytes, BlockCheck::kWholeBlock));
    if (!found || !block.contains({middle})) {
      Error error = make_error(Errc::kCorruption, fmt::format("the log has no event at position {}", middle));
      error.position = middle;
      return error;
    }
    if (block.header().recorded_at < time) {
      from = block.header().last_position().value + 1;
    } else {
      to = block.header().first_position.value;
    }
    block.close();
  }
  return GlobalPosition{std::min(from, head.value + 1)};
}

Result<LogPage> read_log_page(BlockSource& log, const LogQuery& query, GlobalPosition head) {
  CAIRN_ASSERT(query.limit > 0 && query.limit <= limits::kPageEventsMax, query.limit);
  const PageRange range(query, head);
  LogPage page{.head = head, .events = {}, .next = {}};
  LogEvents events(log);
  for (std::uint64_t at = range.start(); range.contains(at); at = range.after(at)) {
    if (page.events.size() == query.limit || page.events.bytes() > query.bytes_max) {
      page.next = GlobalPosition{at};
      break;
    }
    CAIRN_TRY(const StoredEvent stored, events.at({at}));
    page.events.add(stored.event);
  }
  return page;
}

Result<GlobalPosition> scan_events(BlockSource& log, const ScanQuery& query, GlobalPosition head,
                                   const EventVisitor& visitor) {
  const GlobalPosition from{std::max<std::uint64_t>(query.from.value, 1)};
  const GlobalPosition to = std::min(query.to.value_or(head), head);
  GlobalPosition last{0};
  BlockFilter filter(query.filter);
  StoredEvent stored;
  const BlockVisitor each_event = [&](BlockReader& block, std::span<const std::byte>) -> Result<bool> {
    if (!filter.prepare(block)) return true;
    const std::uint64_t first = std::max(from.value, block.header().first_position.value);
    const std::uint64_t end = std::min(to.value, block.header().last_position().value);
    for (std::uint64_t position = first; position <= end; ++position) {
      CAIRN_TRY(const bool wanted, filter.matches(block, {position}));
      if (!wanted) continue;
      CAIRN_CHECK(block.read_into({position}, stored));
      if (!filter.matches(stored.event)) continue;
      last = {position};
      if (!visitor(stored.event)) return false;
    }
    return true;
  };
  CAIRN_CHECK(scan_blocks(log, from, to, each_event));
  return last;
}

}  // namespace cairn
