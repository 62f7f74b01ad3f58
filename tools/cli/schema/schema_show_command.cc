#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "eventstore/json/json_check.h"
#include "tools/cli/schema/pretty_json.h"
#include "tools/cli/schema/registry_client.h"
#include "tools/cli/schema/schema_commands.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/server/version_argument.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"

namespace cairn::cli {

namespace {

struct ShowArguments {
  ServerOptions server;
  std::string subject;
  std::string version = "latest";
};

int run_show(const ShowArguments& arguments) {
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  RegistryClient registry(*client);
  const auto found = registry.version(arguments.subject, arguments.version, Deleted::kLeftOut);
  if (!found) return report_failure(found.error());
  if (!*found) {
    const std::string version = arguments.version == "latest" ? "" : " with a version " + arguments.version;
    std::cerr << "cairn: there is no subject '" << on_one_line(arguments.subject) << "'" << version << '\n';
    return kExitNo;
  }
  const RegisteredSchema& schema = **found;
  if (arguments.server.json) {
    std::cout << schema.json << (schema.json.ends_with('\n') ? "" : "\n");
    return kExitOk;
  }
  // Only the schema goes to stdout, so that it can be redirected into a file.
  std::cerr << on_one_line(schema.subject) << ", version " << schema.version << ", id " << schema.id << '\n';
  for (const SchemaReference& reference : schema.references) {
    std::cerr << "  refers to " << on_one_line(reference.name) << ", version " << reference.version << " of "
              << on_one_line(reference.subject) << '\n';
  }
  std::cout << (check_json(schema.text) ? schema.text : pretty_json(schema.text)) << '\n';
  return kExitOk;
}

}  // namespace

void add_schema_show_command(CLI::App& schema, CommandAction& action) {
  CLI::App& command = *schema.add_subcommand("show", "Print a schema");
  command.footer(
      "\nExamples:\n"
      "  cairn schema show OrderPlaced\n"
      "  cairn schema show OrderPlaced 2 > OrderPlaced/2.avsc");
  auto arguments = std::make_shared<ShowArguments>();
  command.add_option("subject", arguments->subject, "The subject")->type_name("SUBJECT")->required();
  command.add_option("version", arguments->version, "A version, or 'latest'")
      ->type_name("VERSION")
      ->check(CLI::Validator(check_version_argument, ""))
      ->capture_default_str();
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run_show(*arguments); });
}

}  // namespace cairn::cli
