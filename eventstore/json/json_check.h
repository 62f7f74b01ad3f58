#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cairn {

// Why a text is not accepted as JSON, and where.
struct JsonFault {
  std::size_t offset = 0;  // in bytes
  std::string message;
};

// Deeper nesting is refused, because code that processes the value later may recurse.
inline constexpr std::size_t kJsonDepthMax = 128;

// Checks the whole text. Returns nullopt when it is exactly one JSON value (RFC 8259) and in addition
//   - is well-formed UTF-8, without escapes of lone surrogates,
//   - has no two members of the same name in one object, however they are escaped,
//   - is nested at most `depth_max` deep.
// Linear time, but O(n log n) for the n names of one object. Does not recurse.
std::optional<JsonFault> check_json(std::string_view text, std::size_t depth_max = kJsonDepthMax);

}  // namespace cairn
