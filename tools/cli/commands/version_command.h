#pragma once

#include <string>

namespace CLI {
class App;
}

namespace cairn::cli {

// Adds `cairn version`. The command runs while the line is parsed and sets `exit_code`.
// REQUIRES: `exit_code` outlives the parsing.
void add_version_command(CLI::App& app, const std::string& version, int& exit_code);

}  // namespace cairn::cli
