#include "tools/cli/help/help_commands.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "tools/cli/help/help_format.h"
#include "tools/cli/help/unknown_command.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/text/exit_code.h"

namespace cairn::cli {

namespace {

int print_help(CLI::App& app, const std::vector<std::string>& words) {
  if (const std::string unknown = unknown_command_text(app, words); !unknown.empty()) {
    return report_usage(unknown);
  }
  const CLI::App* command = &app;
  std::string path = app.get_name();
  for (const std::string& word : words) {
    if (command->get_subcommands([](const CLI::App*) { return true; }).empty()) break;
    command = command->get_subcommand(word);
    path += " " + word;
  }
  std::cout << help_text(*command, path);
  return kExitOk;
}

}  // namespace

void add_help_command(CLI::App& app, CommandAction& action) {
  CLI::App& command = *app.add_subcommand("help", "Explain a command, with examples");
  command.footer(
      "\nExamples:\n"
      "  cairn help append                 the same as `cairn append --help`\n"
      "  cairn help projection rebuild");
  auto words = std::make_shared<std::vector<std::string>>();
  command.add_option("command", *words, "The command; without one, all are listed")->type_name("COMMAND");
  run_after_parsing(command, action, [&app, words] { return print_help(app, *words); });
}

}  // namespace cairn::cli
