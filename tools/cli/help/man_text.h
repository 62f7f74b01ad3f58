#pragma once

#include <string>
#include <string_view>

namespace cairn::cli {

// `text` as `man` prints it letter by letter, in one piece of a line. Letters that its language gives a
// meaning, or that it would turn into typographic ones, stand for themselves; others than ASCII are given by
// their numbers, for readers that do not know UTF-8.
std::string man_escaped(std::string_view text);

// A help text in paragraphs: lines that are indented stay as they are, the others are filled.
std::string man_paragraphs(std::string_view text);

}  // namespace cairn::cli
