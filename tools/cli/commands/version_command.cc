#include "tools/cli/commands/version_command.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/cli/text/exit_code.h"

namespace cairn::cli {

void add_version_command(CLI::App& app, const std::string& version, int& exit_code) {
  CLI::App& command = *app.add_subcommand("version", "Print the version");
  command.footer("\nExample:\n  cairn version --json");
  auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "Print JSON");
  command.callback([version, json, &exit_code] {
    if (*json) {
      std::cout << nlohmann::json({{"name", "cairn"}, {"version", version}}).dump() << '\n';
    } else {
      std::cout << "cairn " << version << '\n';
    }
    exit_code = kExitOk;
  });
}

}  // namespace cairn::cli
