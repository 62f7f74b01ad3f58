#pragma once

#include <string>

#include "tools/cli/text/command_action.h"

namespace CLI {
class App;
}

namespace cairn::cli {

// The commands that run until SIGTERM or SIGINT: the server, and the process that builds read models beside
// it. Exit code 0 after a signal, 1 when they cannot start or have to stop. The command that the parser finds
// becomes `action`. REQUIRES: `action` outlives the parsing.
void add_serve_command(CLI::App& app, const std::string& version, CommandAction& action);
void add_project_command(CLI::App& app, const std::string& version, CommandAction& action);

}  // namespace cairn::cli
