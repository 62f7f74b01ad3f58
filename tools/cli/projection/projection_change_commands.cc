#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/cli/projection/projection_arguments.h"
#include "tools/cli/projection/projection_commands.h"
#include "tools/cli/projection/status_text.h"
#include "tools/cli/server/answer_output.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/json_member.h"

namespace cairn::cli {

namespace {

using nlohmann::json;

// A command that sends one request and prints the status in its answer.
struct Change {
  const char* name;
  const char* description;
  const char* more;  // the second sentence of --help
  const char* done;  // printed before the state
};

constexpr Change kChanges[] = {
    {"cancel", "Cancel the generation that is being built",
     "The live generation is not changed. The first generation of a projection can be cancelled, too.",
     "cancelled"},
    {"rollback", "Return to the generation before the live one",
     "It first catches up with the log. A generation that is being built is not changed.", "rolled back"},
    {"pause", "Stop following the log", "Queries are still answered, from rows that fall behind.", "paused"},
    {"resume", "Follow the log again after a pause or a fault",
     "It continues at its checkpoint: no event is missed.", "resumed"},
};

// "orders: rolled back; running, generation 3 answers at position 1,234"
std::string changed_line(const Change& change, const std::string& name, const std::string& text) {
  const json status = json::parse(text, nullptr, false);
  std::string line = name + ": " + change.done + "; " + state_and_reason(status);
  if (const std::uint64_t live = number_member(status, "generation"); live > 0) {
    line += fmt::format(", generation {} answers at position {}", live, number_member(status, "position"));
  }
  return on_one_line(line);
}

int run_change(const Change& change, const ProjectionArguments& arguments) {
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  const auto answer = client->post_json(arguments.path("/" + std::string(change.name)), "");
  return report_answer(answer, arguments.server.json, [&](const std::string& body) {
    print_line(changed_line(change, arguments.name, body));
  });
}

}  // namespace

void add_projection_change_commands(CLI::App& projection, CommandAction& action) {
  for (const Change& change : kChanges) {
    CLI::App& command = *projection.add_subcommand(change.name, change.description);
    command.footer(std::string("\n") + change.more +
                   " Exit code 1 when it is not in a state for that.\n\nExamples:\n  cairn projection " +
                   change.name + " customers");
    auto arguments = std::make_shared<ProjectionArguments>();
    add_projection_arguments(command, *arguments);
    run_after_parsing(command, action, [&change, arguments] { return run_change(change, *arguments); });
  }
}

}  // namespace cairn::cli
