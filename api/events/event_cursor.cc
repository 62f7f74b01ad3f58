#include "api/events/event_cursor.h"

#include <algorithm>
#include <utility>

namespace cairn::api {

namespace {

class LogCursor final : public EventCursor {
 public:
  LogCursor(EventStore& store, LogQuery query, RenewFilter renew)
      : store_(store), query_(std::move(query)), renew_(std::move(renew)) {}

  Result<EventPage> next(std::size_t limit, std::size_t bytes_max, WorkBudget& budget) override {
    query_.limit = limit;
    query_.bytes_max = bytes_max;
    query_.budget = &budget;
    if (renew_) renew_(query_);
    CAIRN_TRY(LogPage page, store_.read_log(query_));
    at_end_ = !page.next;
    // A client may ask for events from a position beyond the head.
    const GlobalPosition next{std::max(page.head.value + 1, query_.from ? query_.from->value : 0)};
    query_.from = page.next ? *page.next : next;
    return std::move(page.events);
  }

  bool at_end() const override { return at_end_; }
  bool has_passed(GlobalPosition position) const override {
    return query_.direction == Direction::kForward && query_.from && *query_.from > position;
  }
  GlobalPosition more_at() const override {
    CAIRN_ASSERT(at_end_);
    return *query_.from;
  }
  GlobalPosition read_through() const override {
    return {query_.from && query_.from->value > 0 ? query_.from->value - 1 : 0};
  }

 private:
  EventStore& store_;
  LogQuery query_;
  const RenewFilter renew_;
  bool at_end_ = false;
};

class StreamCursor final : public EventCursor {
 public:
  StreamCursor(EventStore& store, std::string stream, StreamQuery query)
      : store_(store), stream_(std::move(stream)), query_(query) {}

  Result<EventPage> next(std::size_t limit, std::size_t bytes_max, WorkBudget&) override {
    query_.limit = limit;
    query_.bytes_max = bytes_max;
    // Read before the page: an append in between causes one wake-up too many, and none is lost.
    head_ = store_.head();
    CAIRN_TRY(StreamPage page, store_.read_stream(stream_, query_));
    at_end_ = !page.next;
    const StreamVersion next{std::max(page.version.value + 1, query_.from ? query_.from->value : 0)};
    query_.from = page.next ? *page.next : next;
    return std::move(page.events);
  }

  bool at_end() const override { return at_end_; }
  bool has_passed(GlobalPosition) const override { return false; }  // each page has an event, or is the last
  GlobalPosition more_at() const override {
    CAIRN_ASSERT(at_end_);
    return {head_.value + 1};
  }
  GlobalPosition read_through() const override { return at_end_ ? head_ : GlobalPosition{0}; }

 private:
  EventStore& store_;
  const std::string stream_;
  StreamQuery query_;
  GlobalPosition head_;
  bool at_end_ = false;
};

}  // namespace

std::unique_ptr<EventCursor> log_cursor(EventStore& store, LogQuery query, RenewFilter renew) {
  return std::make_unique<LogCursor>(store, std::move(query), std::move(renew));
}

std::unique_ptr<EventCursor> stream_cursor(EventStore& store, std::string stream, StreamQuery query) {
  return std::make_unique<StreamCursor>(store, std::move(stream), query);
}

Result<StreamVersion> first_version_after(EventStore& store, const std::string& stream,
                                          GlobalPosition position) {
  std::uint64_t low = 1;  // all versions below are at or before `position`
  CAIRN_TRY(const StreamPage newest,
            store.read_stream(stream, {.from = {}, .direction = Direction::kBackward, .limit = 1}));
  std::uint64_t high = newest.version.value + 1;  // this version is after `position`, or does not exist
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    CAIRN_TRY(const StreamPage page, store.read_stream(stream, {.from = StreamVersion{middle}, .limit = 1}));
    if (page.events[0].position > position) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return StreamVersion{low};
}

}  // namespace cairn::api
