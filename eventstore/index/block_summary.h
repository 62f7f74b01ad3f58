#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "eventstore/base/checksum.h"
#include "eventstore/base/hashed_name.h"
#include "eventstore/index/event_terms.h"
#include "eventstore/index/stream_head.h"

namespace cairn {

// What a block changes in the index. The writer thread makes one for each block that it commits, and recovery
// for each block that it reads. The names are views of the block's bytes or of the requests, so the tail
// copies them.
struct BlockSummary {
  struct Stream {
    HashedName name;
    StreamHead head;       // as of the end of the block
    bool created = false;  // the stream's first event is in the block
  };
  struct Event {
    std::uint32_t stream = 0;  // index into `streams`
    std::uint32_t type = 0;    // index into `types`
  };
  struct Id {
    Uuid id;
    GlobalPosition position;
  };

  GlobalPosition first_position;
  Timestamp recorded_at;
  Sha256 hash{};  // of the block
  std::vector<Stream> streams;
  std::vector<std::string_view> types;
  std::vector<Event> events;     // in position order
  std::vector<Id> ids;           // only ids that clients chose
  std::vector<EventTerm> terms;  // in position order

  GlobalPosition last_position() const { return {first_position.value + events.size() - 1}; }
};

}  // namespace cairn
