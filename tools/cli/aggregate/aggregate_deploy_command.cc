#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <variant>

#include "api/client/server_url.h"
#include "tools/cli/aggregate/aggregate_commands.h"
#include "tools/cli/aggregate/aggregate_file.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/script_deploy.h"
#include "tools/cli/server/script_file.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/text/exit_code.h"

namespace cairn::cli {

namespace {

struct DeployArguments {
  ServerOptions server;
  std::string file;
};

int run_deploy(const DeployArguments& arguments) {
  const auto file = read_script_file(arguments.file);
  if (!file) return report_usage(file.error().message);
  const auto category = aggregate_category(file->source, file->path);
  if (!category) return report_script_error(category.error(), arguments.server.json);
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  const std::string& name = *category;
  const auto answer = client->put_text(
      "/aggregates/" + api::percent_encoded(name) + "?file=" + api::percent_encoded(file->name()),
      file->source, "text/x-lua");
  if (!answer) return report_unreachable(answer.error());
  if (!answer->ok()) return report_refusal(*answer, arguments.server.json);
  std::cout << (arguments.server.json ? answer->body : deployed_line(name, answer->body)) << '\n';
  return kExitOk;
}

}  // namespace

void add_aggregate_deploy_command(CLI::App& aggregate, CommandAction& action) {
  CLI::App& command = *aggregate.add_subcommand("deploy", "Make a script the aggregate of its category");
  command.footer(
      "\nThe script names its category. It replaces the previous aggregate of the category at once; "
      "snapshots of\n"
      "the previous one are not used any more, until `cairn snapshot create --all` makes new ones. Deploying "
      "the\n"
      "same script again changes nothing.\n"
      "\nExamples:\n"
      "  cairn aggregate deploy order.lua\n"
      "  cairn aggregate deploy - --json < order.lua            for programs");
  auto arguments = std::make_shared<DeployArguments>();
  command.add_option("file", arguments->file, "The script, or - for stdin")->type_name("FILE")->required();
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run_deploy(*arguments); });
}

}  // namespace cairn::cli
