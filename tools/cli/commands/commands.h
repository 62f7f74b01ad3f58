#pragma once

#include <string>

#include "tools/cli/text/command_action.h"

namespace CLI {
class App;
}

namespace cairn::cli {

// Commands without a folder of their own. Each function adds one to `app`; the one that the parser finds
// becomes `action`. REQUIRES: `action` outlives the parsing.
void add_append_command(CLI::App& app, CommandAction& action);
void add_read_command(CLI::App& app, CommandAction& action);
void add_query_command(CLI::App& app, CommandAction& action);
void add_stream_commands(CLI::App& app, CommandAction& action);  // list, show
void add_stats_commands(CLI::App& app, CommandAction& action);   // counts
void add_import_command(CLI::App& app, CommandAction& action);
void add_export_command(CLI::App& app, CommandAction& action);
void add_verify_command(CLI::App& app, CommandAction& action);  // exit code 1: the store is damaged
void add_status_command(CLI::App& app, CommandAction& action);  // exit code 1: something needs a person
void add_backup_command(CLI::App& app, CommandAction& action);
void add_restore_command(CLI::App& app, CommandAction& action);
void add_token_command(CLI::App& app, CommandAction& action);  // create, list, revoke
void add_bench_command(CLI::App& app, CommandAction& action);  // append, replay, read
void add_version_command(CLI::App& app, const std::string& version, CommandAction& action);

}  // namespace cairn::cli
