#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "tools/cli/schema/check_output.h"
#include "tools/cli/schema/folder_history.h"
#include "tools/cli/schema/level_names.h"
#include "tools/cli/schema/registry_client.h"
#include "tools/cli/schema/schema_commands.h"
#include "tools/cli/schema/schema_source.h"
#include "tools/cli/schema/server_history.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/choice_option.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/terminal.h"

namespace cairn::cli {

namespace {

enum class CheckFormat { kTable, kJson, kGithub };

struct CheckArguments {
  ServerOptions server;
  SchemaSource source;
  std::string against;
  std::string level;
  CheckFormat format = CheckFormat::kTable;
};

Result<CheckOutput> check_with_folder(const SchemaFolder& folder, const CheckArguments& arguments) {
  const auto level = *parse_compatibility_level(arguments.level.empty() ? "BACKWARD" : arguments.level);
  auto history = FolderHistory::open(arguments.against, level);
  if (!history) return make_error(history.error().code, "--against: " + history.error().message);
  return check_all(folder, *history);
}

Result<CheckOutput> check_with_server(const SchemaFolder& folder, const CheckArguments& arguments) {
  if (!arguments.level.empty()) {
    return make_error(Errc::kInvalidArgument,
                      "--level goes with --against; a server has its own levels (cairn schema config)");
  }
  CAIRN_TRY(api::Client client, make_client(arguments.server));
  RegistryClient registry(client);
  ServerHistory history(registry);
  return check_all(folder, history);
}

int run_check(const CheckArguments& arguments) {
  const auto folder = read_schema_source(arguments.source);
  if (!folder) return report_failure(folder.error());
  const auto output = arguments.against.empty() ? check_with_server(*folder, arguments)
                                                : check_with_folder(*folder, arguments);
  if (!output) return report_failure(output.error());
  if (arguments.server.json || arguments.format == CheckFormat::kJson) {
    std::cout << as_json(*output);
  } else if (arguments.format == CheckFormat::kGithub) {
    std::cout << as_github(*output);
  } else {
    std::cout << as_table(*output, wants_colour(STDOUT_FILENO));
    for (const std::string& note : output->notes) std::cerr << "note: " << on_one_line(note) << '\n';
  }
  return output->refused() == 0 ? kExitOk : kExitNo;
}

}  // namespace

void add_schema_check_command(CLI::App& schema, CommandAction& action) {
  CLI::App& command =
      *schema.add_subcommand("check", "Check whether schemas may be registered, and change nothing");
  command.footer(
      "\nThe verdict of a file is new, unchanged, compatible, incompatible (with all reasons and their "
      "places in\n"
      "the schema) or invalid. It is compared with the versions of the server, or with a folder of earlier\n"
      "versions (--against), and with the preceding files of its subject. Exit code 1 when a file is "
      "refused. A\n"
      "version that has an upcaster (OrderPlaced/1-2.lua) need not be compatible; an error in the script is\n"
      "reported with its file and line. Subject.refs.json in the folder of Subject.avsc lists its "
      "references:\n"
      "  [{\"name\": \"shop.Money\", \"subject\": \"Money\", \"version\": 1}]\n"
      "\nExamples:\n"
      "  cairn schema check OrderPlaced schemas/OrderPlaced.avsc\n"
      "  cairn schema check --dir schemas/ --format github      in a workflow of GitHub Actions\n"
      "  cairn schema check --dir schemas/ --against ../released/schemas --level FULL_TRANSITIVE");
  auto arguments = std::make_shared<CheckArguments>();
  add_schema_source(command, arguments->source);
  command
      .add_option("--against", arguments->against,
                  "Compare with the schemas in this folder instead of a server")
      ->type_name("DIR");
  command
      .add_option("--level", arguments->level, "With --against: the compatibility level (default BACKWARD)")
      ->type_name("LEVEL")
      ->check(CLI::IsMember(level_names(), CLI::ignore_case));
  add_choice<CheckFormat>(
      command, "--format", arguments->format, "table, json, or github for the annotations of a workflow",
      {{"table", CheckFormat::kTable}, {"json", CheckFormat::kJson}, {"github", CheckFormat::kGithub}})
      ->type_name("FORMAT");
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run_check(*arguments); });
}

}  // namespace cairn::cli
