#pragma once

#include <memory>
#include <string_view>

#include "eventstore/base/result.h"
#include "eventstore/format/block_reader.h"
#include "eventstore/format/stored_event.h"
#include "eventstore/index/stream_head.h"
#include "eventstore/log/block_log.h"

namespace cairn {

// Where an event can be had by its position.
class EventSource {
 public:
  virtual ~EventSource() = default;

  // The event, checked against its checksum; its views live until the next call. Fails with kCorruption when
  // there is no such event: whoever asks has been told that there is.
  virtual Result<StoredEvent> at(GlobalPosition position) = 0;
};

// Events of the log, through one cursor. Short-lived, like the cursor; belongs to one thread.
class LogEvents final : public EventSource {
 public:
  explicit LogEvents(BlockLog& log) : log_(log) {}
  Result<StoredEvent> at(GlobalPosition position) override;

 private:
  Status turn_to(GlobalPosition position);

  BlockLog& log_;
  std::unique_ptr<BlockCursor> cursor_;
  BlockReader block_;
};

// Version `version` of `stream`, whose head is `head`, found by the events' jumps in O(log n) reads.
// REQUIRES: 1 <= version <= head.version.
Result<GlobalPosition> position_of(EventSource& events, std::string_view stream, const StreamHead& head,
                                   StreamVersion version);

// Reads an event that should be version `version` of `stream`; kCorruption when it is another one.
Result<StoredEvent> event_of(EventSource& events, GlobalPosition position, std::string_view stream,
                             StreamVersion version);

}  // namespace cairn
