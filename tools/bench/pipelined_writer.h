#pragma once

#include "eventstore/event_store.h"
#include "tools/bench/append_load.h"
#include "tools/bench/payloads.h"
#include "tools/bench/stream_set.h"

namespace cairn::bench {

// drive_appends() for writers that do not wait: each of load.writers threads keeps load.in_flight appends
// under way. An append's latency runs from the call to the callback. Streams are shared out to the places in
// flight, so that an append is never asked for while the one before it on its stream is unanswered. REQUIRES:
// writers * in_flight <= streams.size().
Result<AppendOutcome> drive_pipelined(EventStore& store, const AppendLoad& load, StreamSet& streams,
                                      const Payloads& payloads);

}  // namespace cairn::bench
