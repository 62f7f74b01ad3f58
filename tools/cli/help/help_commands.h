#pragma once

#include <string>

#include "tools/cli/text/command_action.h"

namespace CLI {
class App;
}

namespace cairn::cli {

// Commands that describe all commands of `app`, also those that are added later. Each function adds one; the
// one that the parser finds becomes `action`. REQUIRES: `action` outlives the parsing, and `app` the action.
void add_completion_command(CLI::App& app, CommandAction& action);
void add_help_command(CLI::App& app, CommandAction& action);
void add_man_command(CLI::App& app, const std::string& version, CommandAction& action);

}  // namespace cairn::cli
