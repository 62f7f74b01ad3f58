#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/upcaster/installed_upcaster.h"
#include "tools/cli/upcaster/upcaster_commands.h"

namespace cairn::cli {

namespace {

constexpr std::size_t kFingerprintCell = 12;

int run_list(const ServerOptions& server) {
  auto client = make_client(server);
  if (!client) return report_usage(client.error().message);
  const auto installed = installed_upcasters(*client);
  if (!installed) return report_failure(installed.error());
  if (server.json) {
    std::cout << installed->json << (installed->json.ends_with('\n') ? "" : "\n");
    return kExitOk;
  }
  if (installed->upcasters.empty()) {
    std::cerr << "No upcaster is installed.\n";
    return kExitOk;
  }
  std::vector<std::vector<std::string>> rows = {
      {"TYPE", "FROM", "TO", "REVISION", "FINGERPRINT", "INSTALLED"}};
  for (const InstalledUpcaster& upcaster : installed->upcasters) {
    rows.push_back({upcaster.type, std::to_string(upcaster.from), std::to_string(upcaster.to),
                    std::to_string(upcaster.revision), upcaster.fingerprint.substr(0, kFingerprintCell),
                    upcaster.installed_at});
  }
  std::cout << table_text(rows);
  return kExitOk;
}

}  // namespace

void add_upcaster_list_command(CLI::App& upcaster, CommandAction& action) {
  CLI::App& command = *upcaster.add_subcommand("list", "Show all upcasters");
  command.footer("\nExamples:\n  cairn upcaster list\n  cairn upcaster list --json");
  auto server = std::make_shared<ServerOptions>();
  add_server_options(command, *server);
  run_after_parsing(command, action, [server] { return run_list(*server); });
}

}  // namespace cairn::cli
