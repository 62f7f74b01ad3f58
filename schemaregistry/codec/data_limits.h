#pragma once

#include <cstddef>

namespace cairn {

// What one value may be, in JSON and in Avro alike, so that whatever was taken in can be given out again.

// Records, arrays and maps within each other. Twice as many brackets may be needed in JSON, where a union's
// value can stand under its type's name, and that still has to fit a request.
inline constexpr std::size_t kDataDepthMax = 60;

// Values that take no bytes, like nulls outside of unions, beyond one for each byte: a few bytes could claim
// any number.
inline constexpr std::size_t kEmptyValuesMax = 1u << 16;

// Each value has a byte, or is one of those, or holds such values and is at most that deep; so no value that
// was taken in takes more steps to read. Only a reader's defaults can.
inline constexpr std::size_t kDecodeStepsFloor = kDataDepthMax * (kEmptyValuesMax + 16);
inline constexpr std::size_t kDecodeStepsPerByte = 2 * kDataDepthMax + 8;

// The bytes of all defaults of a schema, written out.
inline constexpr std::size_t kDefaultBytesMax = 4u << 20;

}  // namespace cairn
