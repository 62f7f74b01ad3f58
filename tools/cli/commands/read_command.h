#pragma once

namespace CLI {
class App;
}

namespace cairn::cli {

// Adds `cairn read`. The command runs while the line is parsed and sets `exit_code`.
// REQUIRES: `exit_code` outlives the parsing.
void add_read_command(CLI::App& app, int& exit_code);

}  // namespace cairn::cli
