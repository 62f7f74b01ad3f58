#include "tests/support/reading.h"

#include <utility>

namespace cairn::test {

namespace {

// Pages whose `next` does not advance would never end; the test fails instead.
Error stuck(const char* what) {
  return make_error(Errc::kIo, std::string(what) + ": `next` does not move on");
}

bool moves_on(Direction direction, std::uint64_t from, std::uint64_t to) {
  return direction == Direction::kForward ? to > from : to < from;
}

}  // namespace

Result<std::vector<Event>> read_all(LogReader& log, LogQuery query) {
  std::vector<Event> events;
  for (;;) {
    CAIRN_TRY(LogPage page, log.read_log(query));
    if (page.events.size() > query.limit) return make_error(Errc::kIo, "read_log: page beyond its limit");
    for (const EventView& view : page.events) events.push_back(owned(view));
    if (!page.next) return events;
    if (query.from && !moves_on(query.direction, query.from->value, page.next->value))
      return stuck("read_log");
    query.from = page.next;
  }
}

namespace {

template <typename ReadPage>
Result<std::vector<Event>> read_stream_pages(const ReadPage& read_page, StreamQuery query) {
  std::vector<Event> events;
  for (;;) {
    CAIRN_TRY(StreamPage page, read_page(query));
    if (page.events.size() > query.limit) return make_error(Errc::kIo, "read_stream: page beyond its limit");
    for (const EventView& view : page.events) events.push_back(owned(view));
    if (!page.next) return events;
    if (query.from && !moves_on(query.direction, query.from->value, page.next->value))
      return stuck("read_stream");
    query.from = page.next;
  }
}

}  // namespace

Result<std::vector<Event>> read_whole_stream(EventStore& store, const std::string& stream,
                                             StreamQuery query) {
  return read_stream_pages([&](const StreamQuery& page) { return store.read_stream(stream, page); }, query);
}

Result<std::vector<Event>> read_whole_system_stream(LogReader& log, const std::string& stream,
                                                    StreamQuery query) {
  return read_stream_pages([&](const StreamQuery& page) { return log.read_system_stream(stream, page); },
                           query);
}

Result<std::vector<StreamInfo>> list_all(EventStore& store, StreamListQuery query) {
  std::vector<StreamInfo> streams;
  for (;;) {
    CAIRN_TRY(StreamList page, store.list_streams(query));
    if (page.streams.size() > query.limit)
      return make_error(Errc::kIo, "list_streams: page beyond its limit");
    for (StreamInfo& info : page.streams) streams.push_back(std::move(info));
    if (!page.next) return streams;
    if (*page.next <= query.after) return stuck("list_streams");
    query.after = *page.next;
  }
}

Result<std::vector<Event>> scan_all(LogReader& log, GlobalPosition from) {
  std::vector<Event> events;
  CAIRN_TRY(GlobalPosition last, log.scan({.from = from}, [&](const EventView& view) {
    events.push_back(owned(view));
    return true;
  }));
  if (last.value != (events.empty() ? 0 : events.back().position)) {
    return make_error(Errc::kIo, "scan: returned " + std::to_string(last.value) + " as the last position");
  }
  return events;
}

}  // namespace cairn::test
