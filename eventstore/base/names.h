#pragma once

#include <cstddef>
#include <string_view>

namespace cairn {

// Whether `text` is well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text);

// The length of the longest beginning of `text` that is well-formed UTF-8: where the first character begins that is
// not, or the whole length.
std::size_t utf8_prefix(std::string_view text);

// Whether `text` can be a stream, type or tag name: printable UTF-8, that is without control characters (C0,
// DEL and C1). Does not check the length.
bool is_printable_name(std::string_view text);

}  // namespace cairn
