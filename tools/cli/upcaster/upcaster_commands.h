#pragma once

namespace CLI {
class App;
}

namespace cairn::cli {

// Adds `cairn upcaster` and all below it. The command runs while the line is parsed and sets `exit_code`.
// REQUIRES: `exit_code` outlives the parsing.
void add_upcaster_commands(CLI::App& app, int& exit_code);

// Its parts; `upcaster` is the command they belong to.
void add_upcaster_deploy_command(CLI::App& upcaster, int& exit_code);
void add_upcaster_list_command(CLI::App& upcaster, int& exit_code);
void add_upcaster_show_command(CLI::App& upcaster, int& exit_code);

}  // namespace cairn::cli
