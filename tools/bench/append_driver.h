#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "eventstore/base/result.h"
#include "tools/bench/append_load.h"
#include "tools/bench/payloads.h"
#include "tools/bench/stream_set.h"

namespace cairn::bench {

// One append: `events` events to one stream that must be at `expected_version`. The types and the data are
// those of the numbers from `first_event` on.
struct AppendCall {
  std::string_view stream;
  std::uint64_t expected_version = 0;
  std::uint64_t first_event = 0;
  unsigned events = 1;
};

// A writer's connection to the system under test. Used by one thread at a time.
class AppendSession {
 public:
  virtual ~AppendSession() = default;

  // Returns when the events are durable. A stream at another version than expected is kVersionConflict.
  virtual Status append(const AppendCall& call) = 0;
};

using AppendSessions = std::vector<std::unique_ptr<AppendSession>>;

// Appends from one thread per session until the load's duration is over: each picks one of its streams at
// random, appends at the version it knows, and waits for the answer. This loop is the same for every
// system. Fails with the first error of any writer; ends early when interrupted(). REQUIRES: load.in_flight
// == 1 and as many sessions as writers.
Result<AppendOutcome> drive_appends(const AppendLoad& load, StreamSet& streams,
                                    const AppendSessions& sessions);

}  // namespace cairn::bench
