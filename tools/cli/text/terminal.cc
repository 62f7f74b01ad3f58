#include "tools/cli/text/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace cairn::cli {

namespace {

std::string_view code_of(Colour colour) {
  switch (colour) {
    case Colour::kGreen:
      return "\033[1;32m";
    case Colour::kYellow:
      return "\033[1;33m";
    case Colour::kRed:
      return "\033[1;31m";
  }
  return "";
}

}  // namespace

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

std::size_t terminal_width(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 100;
}

std::size_t terminal_height(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

bool can_redraw(int descriptor) {
  const char* term = std::getenv("TERM");
  return is_terminal(descriptor) && (term == nullptr || std::string_view(term) != "dumb");
}

bool wants_colour(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  if (term == nullptr || std::string_view(term) == "dumb") return false;
  return is_terminal(descriptor);
}

std::string coloured(std::string_view text, Colour colour, bool on) {
  if (!on) return std::string(text);
  return std::string(code_of(colour)) + std::string(text) + "\033[0m";
}

}  // namespace cairn::cli
