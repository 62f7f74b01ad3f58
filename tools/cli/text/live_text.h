#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cairn::cli {

// Lines on stdout that are refreshed: in place on a terminal, otherwise one block below the other with an
// empty line between them. Not thread-safe.
class LiveText {
 public:
  LiveText();

  // Replaces the lines that are shown by `text`. On a terminal, lines that do not fit are cut.
  void show(std::string_view text);

 private:
  const bool in_place_;
  bool shown_ = false;
  std::size_t lines_ = 0;  // shown now; the cursor moves up by them
};

// `line` cut to `width` columns. Colour takes no columns, and ends where the line is cut.
std::string cut_line(std::string_view line, std::size_t width);

}  // namespace cairn::cli
