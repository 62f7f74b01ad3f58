#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/base/endian.h"

namespace cairn {

// A 128-bit event id, its bytes in the order in which they are printed.
struct Uuid {
  std::array<std::uint8_t, 16> bytes{};

  friend auto operator<=>(const Uuid&, const Uuid&) = default;

  // The two halves as big-endian numbers; comparing (high, low) orders like the text form.
  std::uint64_t high() const { return load_be64(bytes.data()); }
  std::uint64_t low() const { return load_be64(bytes.data() + 8); }
  static Uuid from_halves(std::uint64_t high, std::uint64_t low) {
    Uuid id;
    store_be64(id.bytes.data(), high);
    store_be64(id.bytes.data() + 8, low);
    return id;
  }

  // Reads the 36-character form in either case; nullopt for anything else.
  static std::optional<Uuid> parse(std::string_view text);
  std::string to_string() const;
};

// A UUIDv7: `unix_ms` first, then 74 bits from `random_high` and `random_low`, so ids sort by time.
Uuid make_uuid_v7(std::uint64_t unix_ms, std::uint64_t random_high, std::uint64_t random_low);

// A UUIDv7 of the current time with random bits from the operating system. Thread-safe.
Uuid new_event_id();

}  // namespace cairn

// A client can craft ids that collide under any unseeded hash, so tables of client ids use a seeded one
// (seeded_hash.h); this one is for tests and small maps.
template <>
struct std::hash<cairn::Uuid> {
  std::size_t operator()(const cairn::Uuid& id) const noexcept {
    std::uint64_t halves[2];
    std::memcpy(halves, id.bytes.data(), sizeof halves);
    return static_cast<std::size_t>(halves[0] ^ (halves[1] * 0x9E3779B97F4A7C15ull));
  }
};
