#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "eventstore/base/checksum.h"
#include "eventstore/base/uuid.h"

namespace cairn {

// Hashes for tables whose keys clients choose: seeded anew in every process, so that nobody can prepare keys
// which all fall into one bucket.
std::uint64_t process_hash_seed();

struct SeededHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return checksum64(text, seed); }
  std::size_t operator()(const Uuid& id) const { return checksum64(id.bytes.data(), id.bytes.size(), seed); }
  std::uint64_t seed = process_hash_seed();
};

}  // namespace cairn
