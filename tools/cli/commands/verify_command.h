#pragma once

namespace CLI {
class App;
}

namespace cairn::cli {

// Adds `cairn verify`. The command runs while the line is parsed and sets `exit_code`: 0 when the store is
// sound, 1 when it is damaged or cannot be read. REQUIRES: `exit_code` outlives the parsing.
void add_verify_command(CLI::App& app, int& exit_code);

}  // namespace cairn::cli
