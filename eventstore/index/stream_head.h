#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/format/jump.h"
#include "eventstore/types.h"

namespace cairn {

// The state of a stream: what stream_info() returns, what an append checks and needs for the next event, and
// the start of the path to every earlier event.
struct StreamHead {
  StreamVersion version;
  GlobalPosition first_position;
  Timestamp created_at;
  Timestamp updated_at;
  JumpPath path;  // begins with the newest event's position

  bool exists() const { return version.value > 0; }
  GlobalPosition last_position() const { return {path.head()}; }

  // Adds the event at `position`, recorded at `now`, as the next version.
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

// The payload of a stream head's record in the index. decode_head() returns nullopt for an invalid payload.
std::string encode_head(const StreamHead& head);
std::optional<StreamHead> decode_head(std::string_view payload);

}  // namespace cairn::record
