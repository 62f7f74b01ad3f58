#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "eventstore/base/checksum.h"
#include "eventstore/base/hashed_name.h"
#include "eventstore/index/stream_head.h"

namespace cairn {

// What a block means for the index. Made by the writer for the block it wrote and by recovery for the blocks
// it reads. The names live in the block's bytes or the writer's requests; whoever keeps them copies.
struct BlockSummary {
  struct Stream {
    HashedName name;
    StreamHead head;       // after the block
    bool created = false;  // its first event is in the block
  };
  struct Event {
    std::uint32_t stream = 0;  // into streams
    std::uint32_t type = 0;    // into types
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
  std::vector<Event> events;  // in position order
  std::vector<Id> ids;        // those that clients gave

  GlobalPosition last_position() const { return {first_position.value + events.size() - 1}; }
};

}  // namespace cairn
