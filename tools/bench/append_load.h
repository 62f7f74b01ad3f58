#pragma once

#include <chrono>
#include <cstdint>

#include "tools/bench/latency_histogram.h"

namespace cairn::bench {

enum class ClientIds { kNo, kYes };  // whether events have ids for idempotent retries

// An append workload, the same for every system.
struct AppendLoad {
  unsigned writers = 64;
  unsigned in_flight = 1;     // appends in flight per writer; only Cairn supports more than one
  unsigned batch_events = 1;  // events in one append, all to one stream
  std::chrono::duration<double> duration{5};
  ClientIds client_ids = ClientIds::kNo;
};

// The result. Only appends answered within the duration count.
struct AppendOutcome {
  std::uint64_t appends = 0;
  std::uint64_t events = 0;
  double seconds = 0;
  LatencyHistogram latency;  // of one append, from the call to the answer

  double events_per_second() const { return static_cast<double>(events) / seconds; }
};

}  // namespace cairn::bench
