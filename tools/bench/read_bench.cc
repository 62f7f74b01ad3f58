#include "tools/bench/read_bench.h"

#include "tools/bench/interrupt.h"

namespace cairn::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

Status read_whole(EventStore& store, const std::string& stream, std::size_t page_events, EventFold& fold) {
  StreamQuery query;
  query.from = StreamVersion{1};
  query.limit = page_events;
  while (query.from) {
    CAIRN_TRY(const StreamPage page, store.read_stream(stream, query));
    for (const EventView& event : page.events) {
      fold.add(event.stream, event.version.value, event.type, event.data);
    }
    query.from = page.next;
  }
  return {};
}

}  // namespace

Result<ReadOutcome> read_streams(EventStore& store, const StreamPicker& pick, std::size_t page_events,
                                 std::chrono::duration<double> duration) {
  std::mt19937_64 random(1);
  ReadOutcome outcome;
  const auto first = SteadyClock::now();
  const auto deadline = first + std::chrono::duration_cast<SteadyClock::duration>(duration);
  auto ended = first;
  while (ended < deadline && !interrupted()) {
    const std::string stream = pick(random);
    const auto began = SteadyClock::now();
    CAIRN_CHECK(read_whole(store, stream, page_events, outcome.fold));
    ended = SteadyClock::now();
    outcome.latency.add(ended - began);
  }
  outcome.seconds = std::chrono::duration<double>(ended - first).count();
  return outcome;
}

}  // namespace cairn::bench
