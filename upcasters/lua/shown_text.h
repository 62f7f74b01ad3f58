#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cairn {

// Text of a script, made safe to show: valid UTF-8, with U+FFFD for each byte that belongs to no character.
// At most `bytes_max` bytes, followed by "…" if the text was longer. Reads no more of the text than it shows.
std::string shown_text(std::string_view text, std::size_t bytes_max);

}  // namespace cairn
