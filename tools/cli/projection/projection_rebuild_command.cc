#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/cli/projection/projection_arguments.h"
#include "tools/cli/projection/projection_commands.h"
#include "tools/cli/projection/rebuild_wait.h"
#include "tools/cli/server/answer_output.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/json_member.h"

namespace cairn::cli {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct RebuildArguments {
  ProjectionArguments projection;
  std::uint64_t events_per_second = 0;  // 0 = no limit
  bool wait = false;
};

std::string begun_line(const std::string& name, const std::string& status) {
  const json rebuild = object_member(json::parse(status, nullptr, false), "rebuild");
  return on_one_line(rebuild.is_null()
                         ? name + ": rebuilt"
                         : name + ": generation " + std::to_string(number_member(rebuild, "generation")) +
                               " is being built");
}

int wait_for_rows(api::Client& client, const ProjectionArguments& projection, const std::string& status) {
  const RebuildOutcome waited = wait_for_rebuild(client, projection, status, "");
  if (projection.server.json) {
    ordered_json last = ordered_json::parse(waited.status, nullptr, false);
    if (last.is_object()) last.erase("source");
    print_line(dumped(last));
  } else if (!waited.failure) {
    print_line(live_line(waited.status));
  }
  return waited.failure.value_or(kExitOk);
}

int run_rebuild(const RebuildArguments& arguments) {
  const ProjectionArguments& projection = arguments.projection;
  auto client = make_client(projection.server);
  if (!client) return report_usage(client.error().message);
  std::string path = projection.path("/rebuild");
  if (arguments.events_per_second > 0) {
    path += "?eventsPerSecond=" + std::to_string(arguments.events_per_second);
  }
  const auto answer = client->post_json(path, "");
  if (!answer) return report_unreachable(answer.error());
  if (!answer->ok()) return report_refusal(*answer, projection.server.json);
  if (!projection.server.json) std::cout << begun_line(projection.name, answer->body) << std::endl;
  if (arguments.wait) return wait_for_rows(*client, projection, answer->body);
  if (projection.server.json) print_line(answer->body);
  return kExitOk;
}

}  // namespace

void add_projection_rebuild_command(CLI::App& projection, CommandAction& action) {
  CLI::App& command = *projection.add_subcommand("rebuild", "Rebuild the rows from the whole log");
  command.footer(
      "\nThe live rows answer queries until the new ones have caught up and replace them; afterwards\n"
      "`cairn projection rollback` returns to the old ones. --wait returns when the new rows are live: exit "
      "code 1\n"
      "when they cannot become live without an operator. Ctrl-C ends the wait, not the rebuild;\n"
      "`cairn projection cancel` ends that.\n"
      "\nExamples:\n"
      "  cairn projection rebuild customers --wait\n"
      "  cairn projection rebuild customers --events-per-second 5000    leaves room for other work");
  auto arguments = std::make_shared<RebuildArguments>();
  add_projection_arguments(command, arguments->projection);
  command.add_flag("--wait", arguments->wait, "Wait until the rows are built and live");
  command.add_option("--events-per-second", arguments->events_per_second, "Rate limit")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  run_after_parsing(command, action, [arguments] { return run_rebuild(*arguments); });
}

}  // namespace cairn::cli
