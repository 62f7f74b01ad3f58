#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "api/client/server_url.h"
#include "tools/cli/projection/projection_arguments.h"
#include "tools/cli/projection/projection_commands.h"
#include "tools/cli/projection/rebuild_wait.h"
#include "tools/cli/server/answer_output.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/script_deploy.h"
#include "tools/cli/server/script_file.h"
#include "tools/cli/server/try_run.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/number_text.h"

namespace cairn::cli {

namespace {

using nlohmann::ordered_json;

struct DeployArguments {
  ProjectionArguments projection;
  std::string file;
  bool wait = false;
  bool keep_rows = false;
};

// What is wrong with the rows that were built, as the warnings of an answer. Those of the answer itself come from a
// trial on the last events, before the rows were built: of them only the unknown types still count.
ordered_json warnings_after_build(const ordered_json& answer, const ordered_json& status,
                                  const std::string& name) {
  ordered_json warnings = ordered_json::array();
  for (const ordered_json& warning : list_member(answer, "warnings")) {
    if (text_member(warning, "kind") == "unknown-type") warnings.push_back(warning);
  }
  const std::uint64_t passed_over = number_member(status, "eventsPassedOver");
  const std::uint64_t parked = number_member(status, "parkedKeys");
  if (parked > 0) {
    warnings.push_back({{"kind", "parked"},
                        {"message", counted(parked, "key") + (parked == 1 ? " is" : " are") +
                                        " parked; `cairn projection parked " + on_one_line(name) +
                                        "` shows the events and the lines of the script"}});
  } else if (number_member(status, "rows") == 0 && passed_over > 0) {
    warnings.push_back(
        {{"kind", "key-nil"},
         {"message", "there are no rows: key returned nil for " + counted(passed_over, "event")}});
  }
  return warnings;
}

// The answer to the deployment, with the projection's current status instead of its status then.
std::string deployment_json(const std::string& answer, const std::string& status,
                            const ordered_json& warnings) {
  ordered_json deployment = ordered_json::parse(answer, nullptr, false);
  ordered_json now = ordered_json::parse(status, nullptr, false);
  if (now.is_object()) now.erase("source");
  if (deployment.is_object()) {
    deployment["status"] = std::move(now);
    deployment["warnings"] = warnings;
  }
  return dumped(deployment);
}

int wait_for_rows(api::Client& client, const DeployArguments& arguments, const std::string& answer) {
  const std::string fingerprint = text_member(ordered_json::parse(answer, nullptr, false), "fingerprint");
  const RebuildOutcome waited =
      wait_for_rebuild(client, arguments.projection, raw_member(answer, "status"), fingerprint);
  const ordered_json warnings =
      warnings_after_build(ordered_json::parse(answer, nullptr, false),
                           ordered_json::parse(waited.status, nullptr, false), arguments.projection.name);
  if (arguments.projection.server.json) {
    print_line(deployment_json(answer, waited.status, warnings));
  } else if (!waited.failure) {
    print_line(live_line(waited.status));
  }
  std::cout << std::flush;
  print_warnings(dumped(ordered_json{{"warnings", warnings}}));
  if (waited.failure) return *waited.failure;
  return warnings.empty() ? kExitOk : kExitWarned;
}

int run_deploy(const DeployArguments& arguments) {
  const auto file = read_script_file(arguments.file);
  if (!file) return report_usage(file.error().message);
  const ProjectionArguments& projection = arguments.projection;
  auto client = make_client(projection.server);
  if (!client) return report_usage(client.error().message);
  std::string query = "?file=" + api::percent_encoded(file->name());
  if (arguments.keep_rows) query += "&keepRows=true";
  const auto answer = client->put_text(projection.path(query), file->source, "text/x-lua");
  if (!answer) return report_unreachable(answer.error());
  if (!answer->ok()) return report_refusal(*answer, projection.server.json);
  if (!projection.server.json) std::cout << deployed_line(projection.name, answer->body) << std::endl;
  if (arguments.wait) return wait_for_rows(*client, arguments, answer->body);
  if (projection.server.json) print_line(answer->body);
  std::cout << std::flush;
  print_warnings(answer->body);
  return kExitOk;
}

}  // namespace

void add_projection_deploy_command(CLI::App& projection, CommandAction& action) {
  CLI::App& command = *projection.add_subcommand("deploy", "Make a script the projection of this name");
  command.footer(
      "\nA new projection builds its rows from the log. A changed one is rebuilt as a new generation, while "
      "the live\n"
      "one answers queries until the new one has caught up and replaces it. Deploying the same script again\n"
      "changes nothing. --wait returns when the new rows are live: exit code 1 when they cannot become live\n"
      "without an operator, 4 when they are live and need attention: keys are parked, key was nil for all "
      "events, or\n"
      "no schema has a type of `on`. --keep-rows continues with the existing rows, for a corrected script "
      "that gives "
      "the\n"
      "same result for all events that succeeded: retry parked events afterwards. `cairn projection verify`\n"
      "checks that.\n"
      "\nExamples:\n"
      "  cairn projection deploy customers customers.lua\n"
      "  cairn projection deploy customers customers.lua --wait\n"
      "  cairn projection deploy customers - --json < customers.lua     for programs");
  auto arguments = std::make_shared<DeployArguments>();
  add_projection_arguments(command, arguments->projection);
  command.add_option("file", arguments->file, "The script, or - for stdin")->type_name("FILE")->required();
  command.add_flag("--wait", arguments->wait, "Wait until the rows are built and live");
  command.add_flag("--keep-rows", arguments->keep_rows,
                   "Continue with the existing rows instead of a rebuild");
  run_after_parsing(command, action, [arguments] { return run_deploy(*arguments); });
}

}  // namespace cairn::cli
