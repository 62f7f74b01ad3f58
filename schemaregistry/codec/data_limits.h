#pragma once

#include <cstddef>

namespace cairn {

// What one value may be, in JSON and in Avro alike, so that whatever was taken in can be given out again.
inline constexpr std::size_t kDataDepthMax = 128;  // records, arrays and maps within each other
inline constexpr std::size_t kEmptyItemsMax =
    1u << 16;  // items that take no bytes: an array of nulls could claim any number

}  // namespace cairn
