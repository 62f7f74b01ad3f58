#include "tools/cli/schema/schema_commands.h"

#include <CLI/CLI.hpp>

namespace cairn::cli {

void add_schema_commands(CLI::App& app, CommandAction& action) {
  CLI::App& schema = *app.add_subcommand("schema", "Check, register and show schemas");
  schema.require_subcommand(1);
  schema.footer(
      "\nExamples:\n"
      "  cairn schema check --dir schemas/            before a change is merged: exit 1 and reasons\n"
      "  cairn schema register --dir schemas/         after it is merged\n"
      "  cairn schema list\n"
      "  cairn schema show OrderPlaced");
  add_schema_check_command(schema, action);
  add_schema_register_command(schema, action);
  add_schema_list_command(schema, action);
  add_schema_show_command(schema, action);
  add_schema_config_command(schema, action);
  add_schema_delete_command(schema, action);
}

}  // namespace cairn::cli
