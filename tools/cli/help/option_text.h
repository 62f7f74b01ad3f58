#pragma once

#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cairn::cli {

// The parts that help and the manual page are made of.

// How an option is given: "-h, --help", "--url URL", "STREAM".
std::string option_title(const CLI::Option& option);

// Its description, with what else is to be known: "The server (default http://127.0.0.1:7878)".
std::string option_meaning(const CLI::Option& option);

// How a command is called, where `path` is its name: "cairn append [OPTIONS] STREAM".
std::string usage_of(const CLI::App& command, const std::string& path);

}  // namespace cairn::cli
