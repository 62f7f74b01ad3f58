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
  std::uint64_t events_per_second = 0;  // 0 = as many as it can
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
  const RebuildWaited waited = wait_for_rebuild(client, projection, status, "");
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

void add_projection_rebuild_command(CLI::App& projection, int& exit_code) {
  CLI::App& command = *projection.add_subcommand("rebuild", "Build the rows anew from the whole log");
  command.footer(
      "\nThe rows that are live answer until the new ones have caught up and take their place; then\n"
      "`cairn projection rollback` leads back. --wait stays until then: exit code 1 when they do not get\n"
      "there by themselves. Ctrl-C ends the waiting and not the rebuild; `cairn projection cancel` does.\n"
      "\nExamples:\n"
      "  cairn projection rebuild customers --wait\n"
      "  cairn projection rebuild customers --events-per-second 5000    leaves room for others");
  auto arguments = std::make_shared<RebuildArguments>();
  add_projection_arguments(command, arguments->projection);
  command.add_flag("--wait", arguments->wait, "Stay until the rows are built and live");
  command.add_option("--events-per-second", arguments->events_per_second, "Not faster than this")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  command.callback([arguments, &exit_code] { exit_code = run_rebuild(*arguments); });
}

}  // namespace cairn::cli
