#pragma once

#include <cstddef>

namespace cairn {

// A row as it is saved has at most this many bytes.
inline constexpr std::size_t kRowBytesMax = 1u << 20;

// A row's key has at most this many bytes, and is UTF-8 without control characters.
inline constexpr std::size_t kRowKeyBytesMax = 400;

}  // namespace cairn
