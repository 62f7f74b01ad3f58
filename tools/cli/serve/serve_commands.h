#pragma once

#include <string>

#include "tools/cli/text/command_action.h"

namespace CLI {
class App;
}

namespace cairn::cli {

// The commands that run until SIGTERM or SIGINT: the server, and the process that builds read models beside
// it. Exit code 0 after a signal, 1 when they cannot start or have to stop. The command that the parser finds
// becomes `action`. REQUIRES: `action` outlives the parsing, and `app` the action.
void add_serve_command(CLI::App& app, const std::string& version, CommandAction& action);
void add_project_command(CLI::App& app, const std::string& version, CommandAction& action);

// `cairn config show` and `cairn config check`: what `cairn serve` with the same options would use, and whether
// it is valid. REQUIRES: `app` outlives the action, too.
void add_config_commands(CLI::App& app, const std::string& version, CommandAction& action);

}  // namespace cairn::cli
