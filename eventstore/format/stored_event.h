#pragma once

#include <cstdint>

#include "eventstore/types.h"

namespace cairn {

// An event with the fields that only the log uses.
struct StoredEvent {
  EventView event;
  std::uint64_t previous = 0;  // position of the previous event of the stream; 0 for the first
  std::uint64_t jump = 0;      // position of the event at jump_version(version); 0 for none
  bool store_made_id = false;  // the store chose the id; see index/server_id.h
};

// The checksum of an event: of every field, of its names and of its position, so that an event read through a
// damaged pointer is not mistaken for another one.
std::uint64_t event_checksum(const StoredEvent& stored);

}  // namespace cairn
