#pragma once

namespace CLI {
class App;
}

namespace cairn::cli {

// Adds `cairn aggregate` and all below it. The command runs while the line is parsed and sets `exit_code`.
// REQUIRES: `exit_code` outlives the parsing.
void add_aggregate_commands(CLI::App& app, int& exit_code);

// Its parts; `aggregate` is the command they belong to.
void add_aggregate_deploy_command(CLI::App& aggregate, int& exit_code);
void add_aggregate_list_command(CLI::App& aggregate, int& exit_code);
void add_aggregate_show_command(CLI::App& aggregate, int& exit_code);

}  // namespace cairn::cli
