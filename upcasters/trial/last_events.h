#pragma once

#include <cstddef>
#include <string>

#include "eventstore/event_store.h"
#include "upcasters/trial/trial_events.h"

namespace cairn {

// The most bytes of events that one trial reads from the log.
inline constexpr std::size_t kTrialBytesMax = 16u << 20;

// The last `count` events of the log that the filter selects, in order; as stored. Fewer, and incomplete, when they
// have more than kTrialBytesMax bytes or the budget ends. Fails as EventStore::read_log().
Result<TrialEvents> read_last_events(EventStore& store, const EventFilter& filter, std::size_t count,
                                     WorkBudget& budget);

// The first `count` events of a stream, likewise. Fails as EventStore::read_stream().
Result<TrialEvents> read_stream_events(EventStore& store, const std::string& stream, std::size_t count,
                                       WorkBudget& budget);

}  // namespace cairn
