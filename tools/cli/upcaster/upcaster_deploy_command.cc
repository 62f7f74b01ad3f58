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

// A person wants to see what is wrong, not all of it; a file or a program gets everything.
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

// There was no answer, or nobody waited for it. The server gives up when its client has gone, but it may have
// been done by then: it is asked.
int report_lost(api::Client& client, const Deployment& deployment, const std::string& reason, int exit_code) {
  std::cerr << "cairn: " << reason;
  if (deployment.dry_run) {
    std::cerr << "; nothing was changed\n";
    return exit_code;
  }
  const auto installed = find_installed(client, deployment.header, deployment.file.source);
  if (!installed) {
    std::cerr << "; whether it was installed is not known, `cairn upcaster list` tells\n";
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
  if (const auto* error = std::get_if<ScriptError>(&loaded)) {
    return report_script_error(*error, arguments.server.json);
  }
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  const Deployment deployment{*std::move(file), std::get<UpcasterHeader>(std::move(loaded)),
                              arguments.dry_run};
  bool interrupted = false;
  const auto answer = [&] {
    const Interruption interruption([&client] { client->stop(); });
    auto deployed = deploy(*client, deployment);
    interrupted = interruption.came();
    return deployed;
  }();
  if (answer) return report_answer(*answer, arguments.server.json);
  if (interrupted) return report_lost(*client, deployment, "interrupted", kExitNo);
  if (answer.error().code != Errc::kOutcomeUnknown) return report_unreachable(answer.error());
  return report_lost(*client, deployment, answer.error().message, kExitUnreachable);
}

}  // namespace

void add_upcaster_deploy_command(CLI::App& upcaster, int& exit_code) {
  CLI::App& command =
      *upcaster.add_subcommand("deploy", "Try an upcaster on all history, and install it if it never fails");
  command.footer(
      "\nThe script says itself which type and versions it is for. It is run on every stored event that\n"
      "would pass through it. One failure, and nothing is changed: exit code 1, and the events it failed "
      "on.\n"
      "One that is installed already stays as it is. A new schema version goes together with its upcaster:\n"
      "`cairn schema register` sends both.\n"
      "\nExamples:\n"
      "  cairn upcaster deploy schemas/OrderPlaced/1-2.lua --dry-run\n"
      "  cairn upcaster deploy schemas/OrderPlaced/1-2.lua\n"
      "  cairn upcaster deploy - --json < 1-2.lua               for programs");
  auto arguments = std::make_shared<DeployArguments>();
  command.add_option("file", arguments->file, "The script, or - for stdin")->type_name("FILE")->required();
  command.add_flag("--dry-run", arguments->dry_run, "Only try it, and install nothing");
  add_server_options(command, arguments->server);
  command.callback([arguments, &exit_code] { exit_code = run_deploy(*arguments); });
}

}  // namespace cairn::cli
