#pragma once

#include <cstddef>

namespace cairn {

// What one value may be, in JSON and in Avro alike, so that whatever was taken in can be given out again.

// Records, arrays and maps within each other. Twice as many brackets may be needed in JSON, where a union's
// value can stand under its type's name, and that still has to fit a request.
inline constexpr std::size_t kDataDepthMax = 60;

// Items that take no bytes: an array of nulls could claim any number.
inline constexpr std::size_t kEmptyItemsMax = 1u << 16;

}  // namespace cairn
