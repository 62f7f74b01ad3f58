#pragma once

#include <optional>

#include "eventstore/append/pending_state.h"
#include "eventstore/base/result.h"
#include "eventstore/index/stream_head.h"
#include "eventstore/types.h"

namespace cairn {

// Makes appends idempotent: decides whether the events of one stream in a request are new, or were appended
// before.
//   nullopt             they are new, or the stream is at another version than expected, and not because of them
//   a result            the same events were appended before: their versions and positions
//   kEventIdReused      an id belongs to another event, or to one in another place
//
// With an exact version the stream itself has the answer: the ids are compared with those of the events
// behind that version, which works for ever. With "any" and "exists" the ids are looked up, which works as
// long as they are kept (StoreOptions::dedup_window_days). The id of a new event must not be kept for any
// other. The traceparent that ends the metadata (trace_parent.h) is not compared.
Result<std::optional<StreamAppendResult>> check_repeat(const StreamAppend& append, const StreamHead& head,
                                                       PendingState& state);

// The event at `place` has this id already.
Error id_reused(const Uuid& id, const EventView& place);

}  // namespace cairn
