#pragma once

#include <string>

namespace CLI {
class App;
}

namespace cairn::cli {

// Adds `cairn project`. The command runs while the line is parsed and sets `exit_code`: 0 after SIGTERM or
// SIGINT, or with --once when all read models are there; 1 when it could not start or had to stop. REQUIRES:
// `exit_code` outlives the parsing.
void add_project_command(CLI::App& app, const std::string& version, int& exit_code);

}  // namespace cairn::cli
