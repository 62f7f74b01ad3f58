#pragma once

#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cairn::cli {

// The parts of --help and of the manual page.

// The syntax of an option: "-h, --help", "--url URL", "STREAM".
std::string option_title(const CLI::Option& option);

// Its description with default, choices and conflicts: "The server (default http://127.0.0.1:7878)".
std::string option_meaning(const CLI::Option& option);

// The syntax of a command, where `path` is its name: "cairn append [OPTIONS] STREAM".
std::string usage_of(const CLI::App& command, const std::string& path);

}  // namespace cairn::cli
