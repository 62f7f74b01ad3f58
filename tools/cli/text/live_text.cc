#include "tools/cli/text/live_text.h"

#include <unistd.h>

#include <iostream>

#include "tools/cli/text/terminal.h"

namespace cairn::cli {

namespace {

constexpr std::string_view kNoColour = "\033[0m";
constexpr std::string_view kClearBelow = "\033[J";

// The offset after the colour code that begins at `at`.
std::size_t end_of_code(std::string_view text, std::size_t at) {
  const std::size_t end = text.find('m', at);
  return end == std::string_view::npos ? text.size() : end + 1;
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::string cut_line(std::string_view line, std::size_t width) {
  std::size_t used = 0;
  bool has_colour = false;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == '\033') {
      at = end_of_code(line, at);
      has_colour = true;
      continue;
    }
    if (used++ == width) return std::string(line.substr(0, at)) + std::string(has_colour ? kNoColour : "");
    do {
      ++at;
    } while (at < line.size() && continues_character(line[at]));
  }
  return std::string(line);
}

LiveText::LiveText() : in_place_(can_redraw(STDOUT_FILENO)) {}

void LiveText::show(std::string_view text) {
  if (!in_place_) {
    std::cout << (shown_ ? "\n" : "") << text << std::flush;
    shown_ = true;
    return;
  }
  const std::size_t width = terminal_width(STDOUT_FILENO);  // Read each time: the window may be resized.
  const std::size_t height = terminal_height(STDOUT_FILENO);
  std::string drawn;
  if (lines_ > 0) drawn += "\033[" + std::to_string(lines_) + "A";
  drawn += "\r";
  drawn += kClearBelow;
  // One line stays free for the cursor: it cannot move up further than the window.
  for (lines_ = 0; !text.empty() && lines_ + 1 < height; ++lines_) {
    const std::size_t end = text.find('\n');
    drawn += cut_line(text.substr(0, end), width) + "\n";
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  std::cout << drawn << std::flush;
}

}  // namespace cairn::cli
