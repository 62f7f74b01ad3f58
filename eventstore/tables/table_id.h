#pragma once

#include <cstddef>

namespace cairn {

// Identifies a table by its index in TableStoreOptions::tables.
struct TableId {
  unsigned index = 0;
};

// The longest key. A put() of a longer one fails, and a get() of one finds nothing.
inline constexpr std::size_t kTableKeyBytesMax = 511;

}  // namespace cairn
