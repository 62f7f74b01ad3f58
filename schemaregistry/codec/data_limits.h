#pragma once

#include <cstddef>

namespace cairn {

// The limits of one value. They are the same in JSON and in Avro, so that every value that was accepted can
// be returned.

// Nested records, arrays and maps. JSON may need twice as many brackets, because a union's value can stand
// under its type's name, and that must still fit the depth limit of a request.
inline constexpr std::size_t kDataDepthMax = 60;

// Values that take no bytes, like nulls outside of unions, beyond one for each byte: otherwise a few bytes
// could declare any number of them.
inline constexpr std::size_t kEmptyValuesMax = 1u << 16;

// Each value has a byte, or is an empty one, or contains such values and is at most kDataDepthMax deep. So no
// accepted value takes more steps to read; only the defaults of a reader can.
inline constexpr std::size_t kDecodeStepsFloor = kDataDepthMax * (kEmptyValuesMax + 16);
inline constexpr std::size_t kDecodeStepsPerByte = 2 * kDataDepthMax + 8;

// The bytes of one value that is read as JSON or in another schema. Only names of fields and defaults of a
// reader that are repeated for each of many small values make it so large; 8 MiB of booleans, each with a name
// of ten characters, become 120 MiB.
inline constexpr std::size_t kDecodedBytesMax = 128u << 20;

// The bytes of all defaults of a schema, written out.
inline constexpr std::size_t kDefaultBytesMax = 4u << 20;

}  // namespace cairn
