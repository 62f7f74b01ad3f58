#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cairn::cli {

// Some lines on stdout that are shown again and again: on a terminal in the same place, otherwise one below
// the other with an empty line between. Belongs to one thread.
class LiveText {
 public:
  LiveText();

  // Shows `text`, whole lines, instead of what was shown before. On a terminal, lines that do not fit are
  // cut.
  void show(std::string_view text);

 private:
  const bool in_place_;
  bool shown_ = false;
  std::size_t lines_ = 0;  // that stand there, to go back over
};

// `line` cut to `width` columns. Colour takes no columns, and ends where the line is cut.
std::string cut_line(std::string_view line, std::size_t width);

}  // namespace cairn::cli
