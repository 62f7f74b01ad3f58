#pragma once

namespace CLI {
class App;
}

namespace cairn::cli {

// Adds `cairn import`. The command runs while the line is parsed and sets `exit_code`.
// REQUIRES: `exit_code` outlives the parsing.
void add_import_command(CLI::App& app, int& exit_code);

}  // namespace cairn::cli
