#include "tools/bench/replay_set.h"

#include <algorithm>
#include <chrono>

#include "tools/bench/interrupt.h"
#include "tools/bench/stream_set.h"

namespace cairn::bench {
namespace {

AppendRequest make_replay_request(const ReplaySet& set, const Payloads& payloads, std::uint64_t first,
                                  std::uint64_t end) {
  AppendRequest request;
  request.streams.reserve(end - first);
  for (std::uint64_t event = first; event < end; ++event) {
    StreamAppend append;
    append.stream = StreamSet::name(set.stream(event));
    append.expected = ExpectedVersion::exactly(set.version(event) - 1);
    NewEvent& added = append.events.emplace_back();
    added.type = payloads.type(event);
    added.data = payloads.data(event);
    request.streams.push_back(std::move(append));
  }
  return request;
}

}  // namespace

Status load_replay_set(EventStore& store, const ReplaySet& set, const Payloads& payloads) {
  for (std::uint64_t event = 0; event < set.events && !interrupted();) {
    // A request ends with a round over the streams, because it may have each stream only once.
    const std::uint64_t round_end = (event / set.streams + 1) * set.streams;
    const std::uint64_t end = std::min({event + set.request_events, round_end, set.events});
    CAIRN_CHECK(store.append(make_replay_request(set, payloads, event, end)));
    event = end;
  }
  return {};
}

Result<ReplayOutcome> replay_store(EventStore& store) {
  ReplayOutcome outcome;
  const auto began = std::chrono::steady_clock::now();
  CAIRN_CHECK(store.scan({}, [&outcome](const EventView& event) {
    outcome.fold.add(event.stream, event.version.value, event.type, event.data);
    return true;
  }));
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return outcome;
}

}  // namespace cairn::bench
