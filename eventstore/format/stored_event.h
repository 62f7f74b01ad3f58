#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "eventstore/types.h"

namespace cairn {

// The bits of an event's flags. An event with other bits was written by a newer program and is refused.
namespace event_flags {
inline constexpr std::uint32_t kStoreMadeId = 1;
inline constexpr std::uint32_t kHasParts = 2;  // not in format 1
inline constexpr std::uint32_t kKnown = kStoreMadeId | kHasParts;
}  // namespace event_flags

// Bytes that few events have beside their data. A program that does not know a kind passes over the part,
// unless the kind has the bit kRequired: then it refuses the event.
struct EventPart {
  static constexpr std::uint32_t kContentType = 1;       // a MIME type: the data is opaque bytes of this type
  static constexpr std::uint32_t kSealed = 2;            // a second payload, encrypted; nothing writes it yet
  static constexpr std::uint32_t kCommandId = 3;         // the id of the command that the event came from
  static constexpr std::uint32_t kRequired = 1u << 31u;  // a bit

  std::uint32_t kind = 0;
  std::string_view bytes;
};

// An event with the fields that only the log uses.
struct StoredEvent {
  EventView event;
  std::uint64_t previous = 0;  // position of the previous event of the stream; 0 for the first
  std::uint64_t jump = 0;      // position of the event at jump_version(version); 0 for none
  bool store_made_id = false;  // the store chose the id; see index/server_id.h
  std::span<const EventPart> parts = {};

  std::uint32_t flags() const {
    return (store_made_id ? event_flags::kStoreMadeId : 0) | (parts.empty() ? 0 : event_flags::kHasParts);
  }
};

// The checksum of an event in a block of this format: of every field, of its names and of its position, so
// that an event read through a damaged pointer is not mistaken for another one.
std::uint64_t event_checksum(const StoredEvent& stored, LogFormat format);

}  // namespace cairn
