#pragma once

#include "tools/cli/text/command_action.h"

namespace CLI {
class App;
}

namespace cairn::cli {

// Adds `cairn aggregate` and its subcommands. The one that the parser finds becomes `action`.
// REQUIRES: `action` outlives the parsing.
void add_aggregate_commands(CLI::App& app, CommandAction& action);

// The subcommands; `aggregate` is the command they belong to.
void add_aggregate_try_command(CLI::App& aggregate, CommandAction& action);
void add_aggregate_deploy_command(CLI::App& aggregate, CommandAction& action);
void add_aggregate_list_command(CLI::App& aggregate, CommandAction& action);
void add_aggregate_show_command(CLI::App& aggregate, CommandAction& action);

// Adds `cairn state`.
void add_state_command(CLI::App& app, CommandAction& action);

// Adds `cairn snapshot` and its subcommands; `snapshot` is the command they belong to.
void add_snapshot_commands(CLI::App& app, CommandAction& action);
void add_snapshot_create_command(CLI::App& snapshot, CommandAction& action);
void add_snapshot_show_command(CLI::App& snapshot, CommandAction& action);
void add_snapshot_list_command(CLI::App& snapshot, CommandAction& action);
void add_snapshot_prune_command(CLI::App& snapshot, CommandAction& action);

}  // namespace cairn::cli
