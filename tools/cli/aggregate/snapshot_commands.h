#pragma once

namespace CLI {
class App;
}

namespace cairn::cli {

// Adds `cairn snapshot` and all below it. The command runs while the line is parsed and sets `exit_code`.
// REQUIRES: `exit_code` outlives the parsing.
void add_snapshot_commands(CLI::App& app, int& exit_code);

// Its parts; `snapshot` is the command they belong to.
void add_snapshot_create_command(CLI::App& snapshot, int& exit_code);
void add_snapshot_show_command(CLI::App& snapshot, int& exit_code);
void add_snapshot_list_command(CLI::App& snapshot, int& exit_code);
void add_snapshot_prune_command(CLI::App& snapshot, int& exit_code);

}  // namespace cairn::cli
