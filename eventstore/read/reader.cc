#include "eventstore/read/reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "eventstore/base/limits.h"
#include "eventstore/index/stream_heads.h"
#include "eventstore/read/block_filter.h"
#include "eventstore/read/event_source.h"
#include "eventstore/read/log_scan.h"
#include "eventstore/read/posting_cursor.h"

namespace cairn {
namespace {

Status check_limit(std::size_t limit) {
  if (limit == 0) return make_error(Errc::kInvalidArgument, "limit is 0: ask for at least one");
  if (limit > limits::kPageEventsMax) {
    Error error = make_error(Errc::kTooLarge, "limit " + std::to_string(limit) + " is over " +
                                                  std::to_string(limits::kPageEventsMax));
    error.limit = limits::kPageEventsMax;
    return error;
  }
  return {};
}

StreamInfo info_of(std::string_view name, const StreamHead& head) {
  return {.stream = std::string(name),
          .version = head.version,
          .first_position = head.first_position,
          .last_position = head.last_position(),
          .created_at = head.created_at,
          .updated_at = head.updated_at};
}

// Copies versions `from` down to `to` of a stream, following the events' pointers back.
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

Result<std::optional<StreamInfo>> Reader::stream_info(std::string_view stream) const {
  CAIRN_TRY(const auto head, find_stream(tail_, index_, stream));
  if (!head) return std::optional<StreamInfo>();
  return std::optional(info_of(stream, *head));
}

Result<StreamPage> Reader::read_stream(std::string_view stream, const StreamQuery& query) const {
  CAIRN_CHECK(check_limit(query.limit));
  CAIRN_TRY(const auto head, find_stream(tail_, index_, stream));
  if (!head) {
    Error error = make_error(Errc::kNotFound, "there is no stream '" + std::string(stream) + "'");
    error.stream = stream;
    return error;
  }
  const std::uint64_t newest = head->version.value;
  LogEvents events(log_);
  StreamPage page{.version = head->version, .events = {}, .next = {}};

  if (query.direction == Direction::kBackward) {
    const std::uint64_t from = std::min(query.from ? query.from->value : newest, newest);
    if (from == 0) return page;
    const std::uint64_t to = from - std::min<std::uint64_t>(query.limit, from) + 1;
    CAIRN_CHECK(copy_backward(events, stream, *head, from, to, query.bytes_max, page.events));
    const std::uint64_t last = page.events.events().back().version.value;
    if (last > 1) page.next = StreamVersion{last - 1};
    return page;
  }

  const std::uint64_t from = std::max<std::uint64_t>(query.from ? query.from->value : 1, 1);
  if (from > newest) return page;
  // Events lead backward, so a forward page is read from its end. If that is too much, its first half is a
  // page.
  for (std::uint64_t count = std::min<std::uint64_t>(query.limit, newest - from + 1);; count /= 2) {
    EventPage copied;
    const std::uint64_t to = from + count - 1;
    CAIRN_CHECK(copy_backward(events, stream, *head, to, from, query.bytes_max, copied));
    if (copied.size() < count && count > 1) continue;
    copied.reverse();
    page.events = std::move(copied);
    if (to < newest) page.next = StreamVersion{to + 1};
    return page;
  }
}

Result<LogPage> Reader::read_log(const LogQuery& query) const {
  CAIRN_CHECK(check_limit(query.limit));
  const bool forward = query.direction == Direction::kForward;
  const GlobalPosition head = news_.head();
  std::uint64_t at = query.from ? query.from->value : (forward ? 1 : head.value);
  at = forward ? std::max<std::uint64_t>(at, 1) : std::min(at, head.value);
  if (!query.filter.matches_all()) return read_filtered(query, head, at);

  LogPage page{.head = head, .events = {}, .next = {}};
  LogEvents events(log_);
  while (at >= 1 && at <= head.value) {
    if (page.events.size() == query.limit || page.events.bytes() > query.bytes_max) {
      page.next = GlobalPosition{at};
      break;
    }
    CAIRN_TRY(const StoredEvent stored, events.at({at}));
    page.events.add(stored.event);
    at = forward ? at + 1 : at - 1;
  }
  return page;
}

Result<LogPage> Reader::read_filtered(const LogQuery& query, GlobalPosition head, std::uint64_t from) const {
  LogPage page{.head = head, .events = {}, .next = {}};
  // The tail first: what leaves it meanwhile is in the index by then, and the snapshot keeps it besides.
  const Tail::Snapshot snapshot = tail_.snapshot();
  CAIRN_TRY(const IndexReader index, index_.read());
  CAIRN_TRY(const auto state, index.state());
  FilterCursor cursor(index, state ? state->through : GlobalPosition{0}, tail_, snapshot, query.filter,
                      query.direction);
  LogEvents events(log_);
  while (from >= 1 && from <= head.value) {
    CAIRN_TRY(const auto found, cursor.seek(from));
    if (!found || *found > head.value) break;
    if (page.events.size() == query.limit || page.events.bytes() > query.bytes_max) {
      page.next = GlobalPosition{*found};
      break;
    }
    CAIRN_TRY(const StoredEvent stored, events.at({*found}));
    page.events.add(stored.event);
    from = query.direction == Direction::kForward ? *found + 1 : *found - 1;
  }
  return page;
}

Result<GlobalPosition> Reader::scan(const ScanQuery& query, const EventVisitor& visitor) const {
  const GlobalPosition from{std::max<std::uint64_t>(query.from.value, 1)};
  const GlobalPosition to = std::min(query.to.value_or(news_.head()), news_.head());
  GlobalPosition last{0};
  BlockFilter filter(query.filter);
  StoredEvent stored;
  const BlockVisitor each_event = [&](BlockReader& block, std::span<const std::byte>) -> Result<bool> {
    if (!filter.turn_to(block)) return true;
    const std::uint64_t first = std::max(from.value, block.header().first_position.value);
    const std::uint64_t end = std::min(to.value, block.header().last_position().value);
    for (std::uint64_t position = first; position <= end; ++position) {
      CAIRN_TRY(const bool wanted, filter.lets_through(block, {position}));
      if (!wanted) continue;
      CAIRN_CHECK(block.read_into({position}, stored));
      last = {position};
      if (!visitor(stored.event)) return false;
    }
    return true;
  };
  CAIRN_CHECK(scan_blocks(log_, from, to, each_event));
  return last;
}

Result<StreamList> Reader::list_streams(const StreamListQuery& query) const {
  CAIRN_CHECK(check_limit(query.limit));
  // A category holds the stream named like it and those with a '-' behind it; both start with its name.
  const std::string& category = query.category;
  std::string prefix = query.prefix;
  if (!category.empty()) {
    if (category.starts_with(prefix)) {
      prefix = category;
    } else if (!prefix.starts_with(category)) {
      return StreamList{};
    }
  }
  const std::size_t wanted = query.limit + 1;
  std::string from = query.after.empty() ? "" : query.after + '\0';  // the next name above `after`
  const Tail::Snapshot snapshot = tail_.snapshot();
  CAIRN_TRY(const IndexReader index, index_.read());

  std::vector<std::string> names;
  while (names.size() < wanted) {
    std::vector<std::string> created = tail_.created(snapshot, prefix, from, wanted);
    CAIRN_TRY(const std::vector<std::string> indexed, index.names(prefix, from, wanted));
    std::vector<std::string> merged;
    std::set_union(created.begin(), created.end(), indexed.begin(), indexed.end(),
                   std::back_inserter(merged));
    if (merged.empty()) break;
    // Beyond the shorter full list the other one may know names in between.
    if (merged.size() > wanted) merged.resize(wanted);
    from = merged.back() + '\0';
    for (std::string& name : merged) {
      if (names.size() < wanted && (category.empty() || category_of(name) == category))
        names.push_back(std::move(name));
    }
    if (merged.size() < wanted) break;
  }

  StreamList list;
  for (const std::string& name : names) {
    if (list.streams.size() == query.limit) {
      list.next = list.streams.back().stream;
      break;
    }
    CAIRN_TRY(auto info, stream_info(name));
    if (info) list.streams.push_back(*std::move(info));
  }
  return list;
}

}  // namespace cairn
