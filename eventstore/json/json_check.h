#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cairn {

// Why a text is not the JSON we take, and where.
struct JsonFault {
  std::size_t offset = 0;  // in bytes
  std::string message;
};

// Deeper nesting is refused: nobody means it, and whatever walks the value later may recurse.
inline constexpr std::size_t kJsonDepthMax = 128;

// Looks at the whole text; nullopt when it is exactly one JSON value (RFC 8259) and beyond that
//   - well-formed UTF-8, in which no escape stands for half a character (a lone surrogate),
//   - without two members of the same name in one object, however they are escaped,
//   - nested at most `depth_max` deep.
// Takes time in proportion to the text (n log n for the names of one object) and does not recurse.
std::optional<JsonFault> check_json(std::string_view text, std::size_t depth_max = kJsonDepthMax);

}  // namespace cairn
