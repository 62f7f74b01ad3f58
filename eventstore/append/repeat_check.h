#pragma once

#include <functional>
#include <optional>

#include "eventstore/base/result.h"
#include "eventstore/index/stream_head.h"
#include "eventstore/read/event_source.h"
#include "eventstore/types.h"

namespace cairn {

// Where an id that the store still remembers stands; nullopt for a new one.
using FindId = std::function<Result<std::optional<GlobalPosition>>(const Uuid&)>;

// Decides whether the events of one stream's part of a request are new, or came before.
//   nullopt             they are new, and the stream is where the request expects it
//   a result            the very same events stand there already: these are their numbers
//   kVersionConflict    the stream is elsewhere, and not because of these events
//   kEventIdReused      an id stands for another event, or for one elsewhere
//
// With an exact version the answer is in the stream itself: the ids are compared with those where the events
// would stand, which holds for ever. With "any" and "exists" the ids are looked up, which holds as long as
// they are remembered. A new event's id must not be remembered from anywhere.
Result<std::optional<StreamAppendResult>> check_repeat(const StreamAppend& append, const StreamHead& head,
                                                       EventSource& events, const FindId& find_id);

// The stream is not where the request expects it.
Error version_conflict(const StreamAppend& append, StreamVersion current);

// The id of `event` stands at `place` already.
Error id_reused(const Uuid& id, const EventView& place);

}  // namespace cairn
