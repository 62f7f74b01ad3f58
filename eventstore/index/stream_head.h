#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/format/jump.h"
#include "eventstore/types.h"

namespace cairn {

// What is known of a stream: enough to answer questions about it, to check and place its next event, and to
// find every earlier one.
struct StreamHead {
  StreamVersion version;
  GlobalPosition first_position;
  Timestamp created_at;
  Timestamp updated_at;
  JumpPath path;  // its head is the newest event's position

  bool exists() const { return version.value > 0; }
  GlobalPosition last_position() const { return {path.head()}; }

  // Takes the event at `position`, recorded at `now`, as the next version.
  void advance(GlobalPosition position, Timestamp now) {
    if (!exists()) {
      first_position = position;
      created_at = now;
    }
    path.push(version.value, position.value);
    ++version.value;
    updated_at = now;
  }

  friend bool operator==(const StreamHead&, const StreamHead&) = default;
};

}  // namespace cairn

namespace cairn::record {

// The payload of a stream head's record in the index; nullopt when `payload` is not one.
std::string encode_head(const StreamHead& head);
std::optional<StreamHead> decode_head(std::string_view payload);

}  // namespace cairn::record
