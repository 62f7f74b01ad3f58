#pragma once

#include "eventstore/event_store.h"
#include "tools/bench/append_load.h"
#include "tools/bench/payloads.h"
#include "tools/bench/stream_set.h"

namespace cairn::bench {

// drive_appends() for asynchronous writers: each of load.writers threads keeps load.in_flight appends in
// flight. The latency of an append is the time from the call to the callback. Each slot in flight has its own
// streams, so that a stream never has two appends in flight. REQUIRES: writers * in_flight <= streams.size().
Result<AppendOutcome> drive_pipelined(EventStore& store, const AppendLoad& load, StreamSet& streams,
                                      const Payloads& payloads);

}  // namespace cairn::bench
