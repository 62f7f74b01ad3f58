#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cairn::cli {

// Whether this file descriptor is a terminal.
bool is_terminal(int descriptor);

// The columns of the terminal; 100 when it is not one.
std::size_t terminal_width(int descriptor);

// The lines of the terminal; 24 when it is not one.
std::size_t terminal_height(int descriptor);

// Whether lines can be redrawn in place: on a terminal that is not "dumb".
bool can_redraw(int descriptor);

// Whether to write colour to it: on a terminal that can show it, unless NO_COLOR is set
// (https://no-color.org).
bool wants_colour(int descriptor);

enum class Colour { kGreen, kYellow, kRed };

// `text` in bold colour when `on`, as it is otherwise.
std::string coloured(std::string_view text, Colour colour, bool on);

}  // namespace cairn::cli
