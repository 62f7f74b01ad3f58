#pragma once

namespace CLI {
class App;
}

namespace cairn::cli {

// Adds `cairn schema` and all below it. The command runs while the line is parsed and sets `exit_code`.
// REQUIRES: `exit_code` outlives the parsing.
void add_schema_commands(CLI::App& app, int& exit_code);

// Its parts; `schema` is the command they belong to.
void add_schema_check_command(CLI::App& schema, int& exit_code);
void add_schema_register_command(CLI::App& schema, int& exit_code);
void add_schema_list_command(CLI::App& schema, int& exit_code);
void add_schema_show_command(CLI::App& schema, int& exit_code);
void add_schema_config_command(CLI::App& schema, int& exit_code);
void add_schema_delete_command(CLI::App& schema, int& exit_code);

}  // namespace cairn::cli
