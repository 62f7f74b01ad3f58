#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cairn {

// What scripts say, as others can be shown it: UTF-8 whatever it was, with U+FFFD for each byte that belongs
// to no character. At most `bytes_max` bytes, and behind them "…" where there was more. Looks at no more of
// the text than it shows.
std::string shown_text(std::string_view text, std::size_t bytes_max);

}  // namespace cairn
