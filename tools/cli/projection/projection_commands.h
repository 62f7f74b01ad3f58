#pragma once

namespace CLI {
class App;
}

namespace cairn::cli {

// Adds `cairn projection` and all below it. The command runs while the line is parsed and sets `exit_code`.
// REQUIRES: `exit_code` outlives the parsing.
void add_projection_commands(CLI::App& app, int& exit_code);

// Its parts; `projection` is the command they belong to.
void add_projection_deploy_command(CLI::App& projection, int& exit_code);
void add_projection_list_command(CLI::App& projection, int& exit_code);
void add_projection_status_command(CLI::App& projection, int& exit_code);
void add_projection_show_command(CLI::App& projection, int& exit_code);
void add_projection_rebuild_command(CLI::App& projection, int& exit_code);
void add_projection_change_commands(CLI::App& projection, int& exit_code);  // cancel, rollback, pause, resume
void add_projection_verify_command(CLI::App& projection, int& exit_code);
void add_projection_rows_command(CLI::App& projection, int& exit_code);
void add_projection_parked_command(CLI::App& projection, int& exit_code);
void add_projection_delete_command(CLI::App& projection, int& exit_code);

}  // namespace cairn::cli
