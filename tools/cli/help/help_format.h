#pragma once

#include <cstddef>
#include <string>

namespace CLI {
class App;
}

namespace cairn::cli {

// Help is no wider than this, however wide the terminal is, and no narrower than that.
inline constexpr std::size_t kHelpWidthMax = 100;
inline constexpr std::size_t kHelpWidthMin = 60;

// How wide help is to be on this file descriptor.
std::size_t help_width(int descriptor);

// Gives `app`, and the commands that are added to it from now on, help in our own form: text is broken at
// `width`, and what is to be known about an option stands behind its description. In a footer, lines that
// begin with a space are examples: they are never joined, and a remark goes below its example when there is
// no room beside it.
void set_help_format(CLI::App& app, std::size_t width);

// The help of one command, whatever else was on the command line. `path` is how it is called: "cairn append".
std::string help_text(const CLI::App& command, const std::string& path);

}  // namespace cairn::cli
