#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/cli/projection/projection_arguments.h"
#include "tools/cli/projection/projection_commands.h"
#include "tools/cli/server/answer_output.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/json_member.h"

namespace cairn::cli {

namespace {

using nlohmann::json;

int run_show(const ProjectionArguments& arguments) {
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  const auto answer = client->get(arguments.path());
  if (!answer || !answer->ok() || arguments.server.json) {
    return report_answer(answer, arguments.server.json, print_line);
  }
  const json projection = json::parse(answer->body, nullptr, false);
  const std::string source = text_member(projection, "source");
  if (source.empty()) {
    std::cerr << "cairn: " << on_one_line(arguments.name) << " is no script: the program brings it along\n";
    return kExitNo;
  }
  // Only the source goes to stdout, so that it can be redirected into a file.
  std::cerr << on_one_line(arguments.name) << ", revision " << number_member(projection, "revision")
            << std::endl;
  print_line(source);
  return kExitOk;
}

}  // namespace

void add_projection_show_command(CLI::App& projection, CommandAction& action) {
  CLI::App& command = *projection.add_subcommand("show", "Print the source of a projection");
  command.footer(
      "\nExamples:\n"
      "  cairn projection show customers\n"
      "  cairn projection show customers > customers.lua");
  auto arguments = std::make_shared<ProjectionArguments>();
  add_projection_arguments(command, *arguments);
  run_after_parsing(command, action, [arguments] { return run_show(*arguments); });
}

}  // namespace cairn::cli
