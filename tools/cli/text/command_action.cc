#include "tools/cli/text/command_action.h"

#include <CLI/CLI.hpp>
#include <utility>

namespace cairn::cli {

void run_after_parsing(CLI::App& command, CommandAction& chosen, CommandAction action) {
  command.callback([&chosen, action = std::move(action)] { chosen = action; });
}

}  // namespace cairn::cli
