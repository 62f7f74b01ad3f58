#pragma once

#include "tools/cli/text/command_action.h"

namespace CLI {
class App;
}

namespace cairn::cli {

// Adds `cairn schema` and its subcommands. The one that the parser finds becomes `action`.
// REQUIRES: `action` outlives the parsing.
void add_schema_commands(CLI::App& app, CommandAction& action);

// The subcommands; `schema` is the command they belong to.
void add_schema_check_command(CLI::App& schema, CommandAction& action);
void add_schema_register_command(CLI::App& schema, CommandAction& action);
void add_schema_list_command(CLI::App& schema, CommandAction& action);
void add_schema_show_command(CLI::App& schema, CommandAction& action);
void add_schema_config_command(CLI::App& schema, CommandAction& action);
void add_schema_delete_command(CLI::App& schema, CommandAction& action);

}  // namespace cairn::cli
