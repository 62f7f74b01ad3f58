#pragma once

#include "tools/cli/text/command_action.h"

namespace CLI {
class App;
}

namespace cairn::cli {

// Adds `cairn upcaster` and its subcommands. The one that the parser finds becomes `action`.
// REQUIRES: `action` outlives the parsing.
void add_upcaster_commands(CLI::App& app, CommandAction& action);

// The subcommands; `upcaster` is the command they belong to.
void add_upcaster_try_command(CLI::App& upcaster, CommandAction& action);
void add_upcaster_deploy_command(CLI::App& upcaster, CommandAction& action);
void add_upcaster_list_command(CLI::App& upcaster, CommandAction& action);
void add_upcaster_show_command(CLI::App& upcaster, CommandAction& action);

}  // namespace cairn::cli
