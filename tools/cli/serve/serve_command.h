#pragma once

#include <string>

namespace CLI {
class App;
}

namespace cairn::cli {

// Adds `cairn serve`. The command runs while the line is parsed and sets `exit_code`: 0 after SIGTERM or
// SIGINT, 1 when it could not start or had to stop. REQUIRES: `exit_code` outlives the parsing.
void add_serve_command(CLI::App& app, const std::string& version, int& exit_code);

}  // namespace cairn::cli
