#pragma once

#include <cstddef>
#include <string>

namespace CLI {
class App;
}

namespace cairn::cli {

// The bounds of the width of help, for wide and narrow terminals.
inline constexpr std::size_t kHelpWidthMax = 100;
inline constexpr std::size_t kHelpWidthMin = 60;

// The width of help on this file descriptor.
std::size_t help_width(int descriptor);

// Sets the format of help for `app` and for commands that are added later: text is wrapped at `width`, and
// the default, choices and conflicts of an option follow its description. In a footer, lines that begin with
// a space are examples: they are never joined, and a remark moves below its example when it does not fit.
void set_help_format(CLI::App& app, std::size_t width);

// The help of one command, independent of the rest of the command line. `path` is its name: "cairn append".
std::string help_text(const CLI::App& command, const std::string& path);

}  // namespace cairn::cli
