#include "api/events/event_walk.h"

#include <algorithm>
#include <utility>

namespace cairn::api {

namespace {

class LogWalk final : public EventWalk {
 public:
  LogWalk(EventStore& store, LogQuery query, RenewFilter renew)
      : store_(store), query_(std::move(query)), renew_(std::move(renew)) {}

  Result<EventPage> next(std::size_t limit, std::size_t bytes_max) override {
    query_.limit = limit;
    query_.bytes_max = bytes_max;
    if (renew_) renew_(query_.filter);
    CAIRN_TRY(LogPage page, store_.read_log(query_));
    at_end_ = !page.next;
    // Someone may wait for a position that is far from written.
    const GlobalPosition behind{std::max(page.head.value + 1, query_.from ? query_.from->value : 0)};
    query_.from = page.next ? *page.next : behind;
    return std::move(page.events);
  }

  bool at_end() const override { return at_end_; }
  GlobalPosition more_at() const override { return *query_.from; }

 private:
  EventStore& store_;
  LogQuery query_;
  const RenewFilter renew_;
  bool at_end_ = false;
};

class StreamWalk final : public EventWalk {
 public:
  StreamWalk(EventStore& store, std::string stream, StreamQuery query)
      : store_(store), stream_(std::move(stream)), query_(query) {}

  Result<EventPage> next(std::size_t limit, std::size_t bytes_max) override {
    query_.limit = limit;
    query_.bytes_max = bytes_max;
    // Before the page is read: what comes in between wakes us once too often, not once too seldom.
    head_ = store_.head();
    CAIRN_TRY(StreamPage page, store_.read_stream(stream_, query_));
    at_end_ = !page.next;
    const StreamVersion behind{std::max(page.version.value + 1, query_.from ? query_.from->value : 0)};
    query_.from = page.next ? *page.next : behind;
    return std::move(page.events);
  }

  bool at_end() const override { return at_end_; }
  GlobalPosition more_at() const override { return {head_.value + 1}; }

 private:
  EventStore& store_;
  const std::string stream_;
  StreamQuery query_;
  GlobalPosition head_;
  bool at_end_ = false;
};

}  // namespace

std::unique_ptr<EventWalk> walk_log(EventStore& store, LogQuery query, RenewFilter renew) {
  return std::make_unique<LogWalk>(store, std::move(query), std::move(renew));
}

std::unique_ptr<EventWalk> walk_stream(EventStore& store, std::string stream, StreamQuery query) {
  return std::make_unique<StreamWalk>(store, std::move(stream), query);
}

Result<StreamVersion> first_version_behind(EventStore& store, const std::string& stream,
                                           GlobalPosition position) {
  std::uint64_t low = 1;  // every version before it stands at or before `position`
  CAIRN_TRY(const StreamPage newest,
            store.read_stream(stream, {.from = {}, .direction = Direction::kBackward, .limit = 1}));
  std::uint64_t high = newest.version.value + 1;  // and this one behind it
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
