#pragma once

#include <cstdint>
#include <string>

#include "eventstore/event_store.h"
#include "tools/bench/payloads.h"

namespace cairn::bench {

// The events of the replay benchmark: consecutive events belong to different streams. Every system stores the
// same events in this order, and reading them back must give the same checksum.
struct ReplaySet {
  std::uint64_t events = 1'000'000;
  std::uint64_t streams = 100'000;

  // Events per request when Cairn is loaded, each to another stream: the blocks have the size that a group
  // commit of as many synchronous writers would give them.
  std::uint64_t request_events = 64;

  std::uint64_t stream(std::uint64_t event) const { return event % streams * kStride % streams; }
  std::uint64_t version(std::uint64_t event) const { return event / streams + 1; }

  // A prime above every number of streams in use, so that each residue comes once.
  static constexpr std::uint64_t kStride = 2'147'483'647;
};

struct ReplayOutcome {
  EventFold fold;
  double seconds = 0;
  double events_per_second() const { return static_cast<double>(fold.events()) / seconds; }
};

// Writes the set, one request after the other. Ends early when interrupted().
// REQUIRES: the store is empty.
Status load_replay_set(EventStore& store, const ReplaySet& set, const Payloads& payloads);

// Reads everything from the first event to the head with scan(), in this thread.
Result<ReplayOutcome> replay_store(EventStore& store);

}  // namespace cairn::bench
