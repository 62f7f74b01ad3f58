#pragma once

#include <string>

namespace CLI {
class App;
}

namespace cairn::cli {

// Gives the program its name, its help and all its commands. A command that runs leaves its exit code in
// `exit_code`. REQUIRES: `exit_code` outlives the parsing.
void add_commands(CLI::App& app, const std::string& version, int& exit_code);

}  // namespace cairn::cli
