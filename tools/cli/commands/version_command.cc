#include "tools/cli/commands/commands.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/cli/text/exit_code.h"

namespace cairn::cli {

void add_version_command(CLI::App& app, const std::string& version, CommandAction& action) {
  CLI::App& command = *app.add_subcommand("version", "Print the version");
  command.footer("\nExample:\n  cairn version --json");
  auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "Print JSON");
  run_after_parsing(command, action, [version, json] {
    if (*json) {
      std::cout << nlohmann::json({{"name", "cairn"}, {"version", version}}).dump() << '\n';
    } else {
      std::cout << "cairn " << version << '\n';
    }
    return kExitOk;
  });
}

}  // namespace cairn::cli
