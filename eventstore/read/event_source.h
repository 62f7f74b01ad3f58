#pragma once

#include <memory>
#include <string_view>

#include "eventstore/base/result.h"
#include "eventstore/format/block_reader.h"
#include "eventstore/format/stored_event.h"
#include "eventstore/index/stream_head.h"
#include "eventstore/log/block_log.h"

namespace cairn {

// Reads events by their position.
class EventSource {
 public:
  virtual ~EventSource() = default;

  // The event, checked against its checksum; its views live until the next call. Fails with kCorruption when
  // there is no such event: the position came from an index or another event that says there is.
  virtual Result<StoredEvent> at(GlobalPosition position) = 0;
};

// Events of the log, through one cursor. Short-lived, as the cursor is; not thread-safe.
class LogEvents final : public EventSource {
 public:
  explicit LogEvents(BlockSource& log) : log_(log) {}
  Result<StoredEvent> at(GlobalPosition position) override;

 private:
  Status open_block(GlobalPosition position);

  BlockSource& log_;
  std::unique_ptr<BlockCursor> cursor_;
  BlockReader block_;
};

// The position of version `version` of `stream`, whose head is `head`, found by the events' skip pointers in
// O(log n) reads. See docs/decisions.md, "Back pointers in the events instead of a version table".
// REQUIRES: 1 <= version <= head.version.
Result<GlobalPosition> position_of(EventSource& events, std::string_view stream, const StreamHead& head,
                                   StreamVersion version);

// Reads an event that should be version `version` of `stream`; kCorruption when it is another one.
Result<StoredEvent> event_of(EventSource& events, GlobalPosition position, std::string_view stream,
                             StreamVersion version);

}  // namespace cairn
