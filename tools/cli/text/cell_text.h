#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::cli {

// The width of a text in columns, counted in code points. Good enough for names, and needs no tables of wide
// characters.
std::size_t text_width(std::string_view text);

// `text` on one line: control characters, which could move the cursor or forge a line, become '?'.
std::string on_one_line(std::string_view text);

// `text` on one line and exactly `width` wide: padded with spaces, or shortened with '…' at its end.
std::string cell(std::string_view text, std::size_t width);

// `text` on one line and at most `width` wide.
std::string shortened(std::string_view text, std::size_t width);

// Returns the output for a cell that is already padded. Colour is added here, because escape codes in a cell
// would count as columns. `row` 0 is the heading.
using PaintCell = std::function<std::string(std::size_t row, std::size_t column, const std::string& text)>;

// Rows as lines, every column as wide as its widest text. The first row is the heading.
std::string table_text(const std::vector<std::vector<std::string>>& rows, const PaintCell& paint = {});

}  // namespace cairn::cli
