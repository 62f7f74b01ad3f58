#pragma once

#include <string>

#include "tools/cli/text/command_action.h"

namespace CLI {
class App;
}

namespace cairn::cli {

// Gives the program its name, its help and all its commands. The command that the parser finds becomes
// `action`, for the caller to run after the parsing. REQUIRES: `action` outlives the parsing.
void add_commands(CLI::App& app, const std::string& version, CommandAction& action);

}  // namespace cairn::cli
