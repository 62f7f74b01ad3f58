#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cairn::cli {

// Whether a person is watching this file descriptor.
bool is_terminal(int descriptor);

// How many columns it shows; 100 when it is no terminal.
std::size_t terminal_width(int descriptor);

// How many lines it shows; 24 when it is no terminal.
std::size_t terminal_height(int descriptor);

// Whether lines on it can be drawn again in their place: on a terminal that is not dumb.
bool can_redraw(int descriptor);

// Whether to write colour to it: on a terminal that can show it, unless NO_COLOR is set
// (https://no-color.org).
bool wants_colour(int descriptor);

enum class Colour { kGreen, kYellow, kRed };

// `text` in bold colour when `on`, as it is otherwise.
std::string coloured(std::string_view text, Colour colour, bool on);

}  // namespace cairn::cli
