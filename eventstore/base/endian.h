#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace cairn {

static_assert(std::endian::native == std::endian::little,
              "stored formats are written for little-endian machines");

// Numbers in keys are big-endian, so that LMDB's byte order is numeric order; numbers in values are
// little-endian, as in memory.
inline std::uint64_t load_be64(const void* from) {
  std::uint64_t value;
  std::memcpy(&value, from, sizeof value);
  return __builtin_bswap64(value);
}

inline void store_be64(void* to, std::uint64_t value) {
  value = __builtin_bswap64(value);
  std::memcpy(to, &value, sizeof value);
}

template <typename Number>
Number load_le(const void* from) {
  Number value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename Number>
void store_le(void* to, Number value) {
  std::memcpy(to, &value, sizeof value);
}

}  // namespace cairn
