#pragma once

#include <string>

namespace CLI {
class App;
}

namespace cairn::cli {

// The manual page of the program, for `man` and in its language: every command with its options and its help
// text, taken from what the parser itself accepts, so that no option can be missing or be told otherwise than
// by --help.
std::string man_page(CLI::App& app, const std::string& version);

}  // namespace cairn::cli
