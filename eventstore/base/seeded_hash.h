#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "eventstore/base/checksum.h"
#include "eventstore/base/uuid.h"

namespace cairn {

// The hash for tables whose keys clients choose. Each process has a random seed, so a client cannot prepare
// keys that collide (hash flooding).
std::uint64_t process_hash_seed();

struct SeededHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return checksum64(text, seed); }
  std::size_t operator()(const Uuid& id) const { return checksum64(id.bytes.data(), id.bytes.size(), seed); }
  std::uint64_t seed = process_hash_seed();
};

}  // namespace cairn
