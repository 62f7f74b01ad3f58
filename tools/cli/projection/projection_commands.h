#pragma once

#include "tools/cli/text/command_action.h"

namespace CLI {
class App;
}

namespace cairn::cli {

// Adds `cairn projection` and its subcommands. The one that the parser finds becomes `action`.
// REQUIRES: `action` outlives the parsing.
void add_projection_commands(CLI::App& app, CommandAction& action);

// The subcommands; `projection` is the command they belong to.
void add_projection_try_command(CLI::App& projection, CommandAction& action);
void add_projection_deploy_command(CLI::App& projection, CommandAction& action);
void add_projection_list_command(CLI::App& projection, CommandAction& action);
void add_projection_status_command(CLI::App& projection, CommandAction& action);
void add_projection_show_command(CLI::App& projection, CommandAction& action);
void add_projection_rebuild_command(CLI::App& projection, CommandAction& action);
// cancel, rollback, pause, resume
void add_projection_change_commands(CLI::App& projection, CommandAction& action);
void add_projection_verify_command(CLI::App& projection, CommandAction& action);
void add_projection_rows_command(CLI::App& projection, CommandAction& action);
void add_projection_parked_command(CLI::App& projection, CommandAction& action);
void add_projection_delete_command(CLI::App& projection, CommandAction& action);

}  // namespace cairn::cli
