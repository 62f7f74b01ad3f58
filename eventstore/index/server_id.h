#pragma once

#include <cstdint>
#include <optional>

#include "eventstore/base/assert.h"
#include "eventstore/base/siphash.h"
#include "eventstore/base/uuid.h"
#include "eventstore/types.h"

namespace cairn {

// The ids of events that came without one. Such an id is a UUIDv7 that says where its event is, so a client
// that sends it back is recognised without an index. See docs/decisions.md, "An id made by the server names
// its position".
//
//   48 bits  milliseconds since 1970, of the event's recorded time
//   44 bits  position; 12 of them before the variant's two bits, 32 behind
//   30 bits  check: of time and position, with the store's key
namespace server_id {

inline constexpr unsigned kPositionBits = 44;
inline constexpr unsigned kCheckBits = 30;

// The position that the id names, if it is a server's id; any UUIDv7 has such bits.
inline std::optional<GlobalPosition> named_position(const Uuid& id) {
  if ((id.high() >> 12 & 0xF) != 7 || id.low() >> 62 != 2) return std::nullopt;
  const std::uint64_t low = (id.low() >> kCheckBits) & 0xFFFFFFFFu;
  return GlobalPosition{(id.high() & 0xFFF) << 32 | low};
}

inline std::uint64_t check_of(const SipKey& key, std::uint64_t unix_ms, GlobalPosition position) {
  return siphash(key, unix_ms, position.value) & ((std::uint64_t{1} << kCheckBits) - 1);
}

inline Uuid make(const SipKey& key, Timestamp time, GlobalPosition position) {
  CAIRN_ASSERT(position.value >> kPositionBits == 0, position.value);
  const auto unix_ms = static_cast<std::uint64_t>(time.micros / 1000);
  const std::uint64_t check = check_of(key, unix_ms & 0xFFFFFFFFFFFFull, position);
  return make_uuid_v7(unix_ms, position.value >> 32, (position.value & 0xFFFFFFFFu) << kCheckBits | check);
}

// The position of the event that has this id, if the store with this key has made the id; nullopt for other
// ids, but for one in 2^30. The event at the position decides.
inline std::optional<GlobalPosition> position_of(const SipKey& key, const Uuid& id) {
  const auto position = named_position(id);
  if (!position) return std::nullopt;
  const std::uint64_t check = id.low() & ((std::uint64_t{1} << kCheckBits) - 1);
  return check == check_of(key, id.high() >> 16, *position) ? position : std::nullopt;
}

}  // namespace server_id
}  // namespace cairn
