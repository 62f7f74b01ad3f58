#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "eventstore/base/assert.h"
#include "tools/cli/projection/projection_arguments.h"
#include "tools/cli/projection/projection_commands.h"
#include "tools/cli/server/answer_output.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/terminal.h"

namespace cairn::cli {

namespace {

struct DeleteArguments {
  ProjectionArguments projection;
  bool yes = false;
};

// Asks for the name. REQUIRES: stdin is a terminal.
bool is_confirmed(const std::string& name) {
  CAIRN_ASSERT(is_terminal(STDIN_FILENO));
  std::cerr << "The rows of " << on_one_line(name)
            << " are removed; deploying its script again rebuilds them.\n"
            << "Type its name to continue: " << std::flush;
  std::string typed;
  return std::getline(std::cin, typed) && typed == name;
}

int run_delete(const DeleteArguments& arguments) {
  const ProjectionArguments& projection = arguments.projection;
  if (!arguments.yes) {
    if (!is_terminal(STDIN_FILENO)) {
      return report_usage("this removes the rows of " + on_one_line(projection.name) +
                          "; add --yes to confirm");
    }
    if (!is_confirmed(projection.name)) {
      std::cerr << "cairn: that is not its name; nothing was deleted\n";
      return kExitNo;
    }
  }
  auto client = make_client(projection.server);
  if (!client) return report_usage(client.error().message);
  const auto answer = client->remove(projection.path());
  if (!answer) return report_unreachable(answer.error());
  if (!answer->ok()) return report_refusal(*answer, projection.server.json);
  if (projection.server.json) {
    print_line(dumped(nlohmann::ordered_json{{"name", projection.name}, {"deleted", true}}));
  } else {
    print_line(on_one_line(projection.name) + ": deleted");
  }
  return kExitOk;
}

}  // namespace

void add_projection_delete_command(CLI::App& projection, CommandAction& action) {
  CLI::App& command = *projection.add_subcommand("delete", "End a projection and remove its rows");
  command.footer(
      "\nThis cannot be undone: deploying the script again rebuilds the rows from the log. Asks for the name "
      "on a\n"
      "terminal; otherwise it requires --yes.\n"
      "\nExamples:\n"
      "  cairn projection delete customers\n"
      "  cairn projection delete customers --yes");
  auto arguments = std::make_shared<DeleteArguments>();
  add_projection_arguments(command, arguments->projection);
  command.add_flag("--yes", arguments->yes, "Do not ask");
  run_after_parsing(command, action, [arguments] { return run_delete(*arguments); });
}

}  // namespace cairn::cli
