#pragma once

#include <cstdint>

#include "eventstore/types.h"

namespace cairn {

// An event with what the log keeps beside it.
struct StoredEvent {
  EventView event;
  std::uint64_t previous = 0;  // position of the stream's event before it; 0 for the first
  std::uint64_t jump = 0;      // position of the event at jump_version(version); 0 for none
  bool store_made_id = false;  // the id was not the client's, so no retry can carry it
};

// The checksum an event carries: of every field above, of the names and of the position, so that an event
// which is found through a damaged pointer is not mistaken for another.
std::uint64_t event_checksum(const StoredEvent& stored);

}  // namespace cairn
