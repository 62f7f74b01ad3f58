#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <variant>

#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/interruption.h"
#include "tools/cli/server/script_deploy.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/terminal.h"
#include "tools/cli/upcaster/deploy_report.h"
#include "tools/cli/upcaster/deployment.h"
#include "tools/cli/upcaster/installed_upcaster.h"
#include "tools/cli/upcaster/upcaster_commands.h"

namespace cairn::cli {

namespace {

// The bound of the table on a terminal; a file or a pipe gets all failures.
constexpr std::size_t kRowsOnTerminal = 20;

struct DeployArguments {
  ServerOptions server;
  std::string file;
  bool dry_run = false;
};

int report_failures(const std::string& problem) {
  const bool watched = is_terminal(STDOUT_FILENO);
  std::cout << failures_text(problem, watched ? kRowsOnTerminal : std::numeric_limits<std::size_t>::max())
            << std::flush;
  std::cerr << "cairn: " << failures_sum(problem) << "; nothing was changed\n";
  return kExitNo;
}

int report_answer(const api::Answer& answer, bool json) {
  if (answer.ok()) {
    std::cout << (json ? answer.body : deployed_text(answer.body)) << '\n';
    return kExitOk;
  }
  return !json && lists_failures(answer.body) ? report_failures(answer.body) : report_refusal(answer, json);
}

// The answer was lost, or the wait was interrupted. The server cancels a deployment when its client
// disconnects, but it may have finished before: the server is asked.
int report_lost(api::Client& client, const Deployment& deployment, const std::string& reason, int exit_code) {
  std::cerr << "cairn: " << reason;
  if (deployment.dry_run) {
    std::cerr << "; nothing was changed\n";
    return exit_code;
  }
  const auto installed = find_installed(client, deployment.header, deployment.file.source);
  if (!installed) {
    std::cerr << "; whether it was installed is unknown, see `cairn upcaster list`\n";
    return kExitUnreachable;
  }
  if (*installed) {
    std::cerr << "; but it is installed, as revision " << (*installed)->revision << '\n';
    return kExitOk;
  }
  std::cerr << "; nothing was installed\n";
  return exit_code;
}

int run_deploy(const DeployArguments& arguments) {
  auto file = read_upcaster_file(arguments.file);
  if (!file) return report_usage(file.error().message);
  auto loaded = load_upcaster(*file);
  if (!loaded) return report_script_error(loaded.error(), arguments.server.json);
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  const Deployment deployment{*std::move(file), *std::move(loaded), arguments.dry_run};
  bool interrupted = false;
  const auto answer = [&] {
    const Interruption interruption([&client] { client->stop(); });
    auto deployed = deploy(*client, deployment);
    interrupted = interruption.arrived();
    return deployed;
  }();
  if (answer) return report_answer(*answer, arguments.server.json);
  if (interrupted) return report_lost(*client, deployment, "interrupted", kExitNo);
  if (answer.error().code != Errc::kOutcomeUnknown) return report_unreachable(answer.error());
  return report_lost(*client, deployment, answer.error().message, kExitUnreachable);
}

}  // namespace

void add_upcaster_deploy_command(CLI::App& upcaster, CommandAction& action) {
  CLI::App& command = *upcaster.add_subcommand(
      "deploy", "Test an upcaster on all stored events, and install it if it never fails");
  command.footer(
      "\nThe script names its type and versions. The server runs it on every stored event that needs it. If "
      "it\n"
      "fails on one, nothing is changed: exit code 1, with the events it failed on. An upcaster that is "
      "already\n"
      "installed is not changed. A new schema version is registered together with its upcaster:\n"
      "`cairn schema register` sends both.\n"
      "\nExamples:\n"
      "  cairn upcaster deploy schemas/OrderPlaced/1-2.lua --dry-run\n"
      "  cairn upcaster deploy schemas/OrderPlaced/1-2.lua\n"
      "  cairn upcaster deploy - --json < 1-2.lua               for programs");
  auto arguments = std::make_shared<DeployArguments>();
  command.add_option("file", arguments->file, "The script, or - for stdin")->type_name("FILE")->required();
  command.add_flag("--dry-run", arguments->dry_run, "Only test it, and install nothing");
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run_deploy(*arguments); });
}

}  // namespace cairn::cli
