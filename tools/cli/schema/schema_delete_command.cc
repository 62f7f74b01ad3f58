#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/cli/schema/registry_client.h"
#include "tools/cli/schema/schema_commands.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/server/version_argument.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"

namespace cairn::cli {

namespace {

using nlohmann::ordered_json;

struct DeleteArguments {
  ServerOptions server;
  std::string subject;
  std::string version;
  bool permanent = false;
};

int run_delete(const DeleteArguments& arguments) {
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  RegistryClient registry(*client);
  const auto deleted = registry.remove(
      arguments.subject, arguments.version,
      arguments.permanent ? RegistryClient::Deletion::kPermanent : RegistryClient::Deletion::kHidden);
  if (!deleted) return report_failure(deleted.error());
  if (arguments.server.json) {
    const ordered_json json = {
        {"subject", arguments.subject}, {"versions", *deleted}, {"permanent", arguments.permanent}};
    std::cout << json.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
    return kExitOk;
  }
  std::string versions;
  for (const int version : *deleted) versions += (versions.empty() ? "" : ", ") + std::to_string(version);
  std::cout << on_one_line(arguments.subject) << (deleted->size() == 1 ? ": version " : ": versions ")
            << versions << (deleted->size() == 1 ? " is" : " are")
            << (arguments.permanent ? " deleted permanently" : " deleted") << '\n';
  if (!arguments.permanent) {
    std::cerr
        << "Events that were written with it can still be read. To remove it permanently, add --permanent.\n";
  }
  return kExitOk;
}

}  // namespace

void add_schema_delete_command(CLI::App& schema, CommandAction& action) {
  CLI::App& command =
      *schema.add_subcommand("delete", "Delete a version, or a subject with all its versions");
  command.footer(
      "\nA deleted version is not listed and not compared with, but keeps its id, and events that were "
      "written\n"
      "with it can be read. --permanent removes the schema itself; the version must have been deleted "
      "before.\n"
      "\nExamples:\n"
      "  cairn schema delete OrderPlaced 3\n"
      "  cairn schema delete OrderPlaced && cairn schema delete OrderPlaced --permanent");
  auto arguments = std::make_shared<DeleteArguments>();
  command.add_option("subject", arguments->subject, "The subject")->type_name("SUBJECT")->required();
  command.add_option("version", arguments->version, "Only this version, or 'latest'")
      ->type_name("VERSION")
      ->check(CLI::Validator(check_version_argument, ""));
  command.add_flag("--permanent", arguments->permanent, "Remove it permanently");
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run_delete(*arguments); });
}

}  // namespace cairn::cli
