#pragma once

#include <chrono>
#include <functional>
#include <random>
#include <string>

#include "eventstore/event_store.h"
#include "tools/bench/latency_histogram.h"
#include "tools/bench/payloads.h"

namespace cairn::bench {

struct ReadOutcome {
  EventFold fold;
  LatencyHistogram latency;  // of one whole stream
  double seconds = 0;
};

// Names a stream to read next.
using StreamPicker = std::function<std::string(std::mt19937_64&)>;

// Reads whole streams, one after the other in this thread, a page of `page_events` at a time, until
// `duration` is over. Fails with kNotFound when a stream does not exist.
Result<ReadOutcome> read_streams(EventStore& store, const StreamPicker& pick, std::size_t page_events,
                                 std::chrono::duration<double> duration);

}  // namespace cairn::bench
