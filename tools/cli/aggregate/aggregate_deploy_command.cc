#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "api/client/server_url.h"
#include "tools/cli/aggregate/aggregate_commands.h"
#include "tools/cli/aggregate/aggregate_file.h"
#include "tools/cli/cell_text.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/failure_report.h"
#include "tools/cli/json_member.h"
#include "tools/cli/server_options.h"
#include "tools/cli/upcaster/upcaster_file.h"

namespace cairn::cli {

namespace {

constexpr std::size_t kFingerprintShown = 8;

struct DeployArguments {
  ServerOptions server;
  std::string file;
};

// In the form a server would have said it.
int report_script_error(const ScriptError& error, bool json) {
  std::cerr << "cairn: " << on_one_line(error.text()) << '\n';
  if (json) {
    std::cout << dumped(nlohmann::ordered_json{{"type", "/problems/script-error"},
                                               {"title", "The script cannot be used"},
                                               {"status", 422},
                                               {"detail", error.text()},
                                               {"file", error.file},
                                               {"line", error.line},
                                               {"message", error.message}})
              << '\n';
  }
  return kExitNo;
}

// "order: deployed as revision 2 (fingerprint abcd1234…)"
std::string deployed_line(const std::string& text) {
  const auto result = nlohmann::json::parse(text, nullptr, false);
  return on_one_line(text_member(result, "category") +
                     (is_true(result, "unchanged") ? ": already deployed" : ": deployed") + " as revision " +
                     std::to_string(number_member(result, "revision")) + " (fingerprint " +
                     text_member(result, "fingerprint").substr(0, kFingerprintShown) + "…)");
}

int run_deploy(const DeployArguments& arguments) {
  const auto file = read_upcaster_file(arguments.file);
  if (!file) return report_usage(file.error().message);
  const auto category = aggregate_category(file->source, file->path);
  if (const auto* error = std::get_if<ScriptError>(&category)) {
    return report_script_error(*error, arguments.server.json);
  }
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  const auto answer =
      client->put_text("/aggregates/" + api::percent_encoded(std::get<std::string>(category)) +
                           "?file=" + api::percent_encoded(file->name()),
                       file->source, "text/x-lua");
  if (!answer) return report_unreachable(answer.error());
  if (!answer->ok()) return report_refusal(*answer, arguments.server.json);
  std::cout << (arguments.server.json ? answer->body : deployed_line(answer->body)) << '\n';
  return kExitOk;
}

}  // namespace

void add_aggregate_deploy_command(CLI::App& aggregate, int& exit_code) {
  CLI::App& command = *aggregate.add_subcommand("deploy", "Make a script the aggregate of its category");
  command.footer(
      "\nThe script says itself which category it is for. It takes the place of the one that was there, and\n"
      "states are made by it at once; snapshots that the other one made are not used any more, until\n"
      "`cairn snapshot create --all` makes new ones. The same script again changes nothing.\n"
      "\nExamples:\n"
      "  cairn aggregate deploy order.lua\n"
      "  cairn aggregate deploy - --json < order.lua            for programs");
  auto arguments = std::make_shared<DeployArguments>();
  command.add_option("file", arguments->file, "The script, or - for stdin")->type_name("FILE")->required();
  add_server_options(command, arguments->server);
  command.callback([arguments, &exit_code] { exit_code = run_deploy(*arguments); });
}

}  // namespace cairn::cli
