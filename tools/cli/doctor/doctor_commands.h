#pragma once

#include <string>

#include "tools/cli/text/command_action.h"

namespace CLI {
class App;
}

namespace cairn::cli {

// Adds `cairn doctor`, whose exit code is 1 when a check has failed. `version` is that of the program. REQUIRES:
// `action` outlives the parsing.
void add_doctor_command(CLI::App& app, const std::string& version, CommandAction& action);

}  // namespace cairn::cli
