#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/cli/projection/projection_arguments.h"
#include "tools/cli/projection/projection_commands.h"
#include "tools/cli/projection/verify_text.h"
#include "tools/cli/server/answer_output.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/poll.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/progress_bar.h"
#include "tools/cli/text/terminal.h"

namespace cairn::cli {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr std::size_t kKeyWidth = 20;  // roughly the room for keys on a terminal
constexpr std::size_t kValueWidthMin = 20;

bool is_under_way(const json& report) {
  const std::string stage = text_member(report, "stage");
  return stage == "building" || stage == "comparing";
}

// The width of a row: on a terminal two rows fit beside a key; without a terminal rows are not cut.
std::size_t value_width() {
  if (!is_terminal(STDOUT_FILENO)) return std::numeric_limits<std::size_t>::max() / 8;
  const std::size_t width = terminal_width(STDOUT_FILENO);
  return std::max(kValueWidthMin, (width > kKeyWidth ? width - kKeyWidth : 0) / 2);
}

// Prints the report and returns the exit code.
int report_verdict(const ProjectionArguments& arguments, const std::string& text) {
  const json report = json::parse(text, nullptr, false);
  if (arguments.server.json) print_line(text);
  const std::string name = on_one_line(arguments.name);
  if (text_member(report, "stage") != "done") {
    const std::string error = text_member(report, "error");
    std::cerr << "cairn: " << name << " could not be verified: "
              << (error.empty() ? "the answer is not a Cairn server's" : on_one_line(error)) << '\n';
    return kExitNo;
  }
  if (is_equal(report)) {
    if (!arguments.server.json) print_line(name + ": " + verdict_text(report));
    return kExitOk;
  }
  if (!arguments.server.json) std::cout << differences_text(text, value_width()) << std::flush;
  std::cerr << "cairn: " << name << ": " << verdict_text(report) << '\n';
  return kExitNo;
}

int follow_verification(api::Client& client, const ProjectionArguments& arguments) {
  std::string last;
  const PollResult end = [&] {
    ProgressBar bar;
    return poll(
        client, {.path = arguments.path("/verify"), .json = arguments.server.json},
        [&](const std::string& body) {
          const json report = json::parse(last = body, nullptr, false);
          if (!is_under_way(report)) return PollNext::kEnd;
          bar.show(verify_bar(report));
          return PollNext::kGoOn;
        },
        [&](const std::string& reason) { bar.note("cairn: " + reason + "; retrying"); });
  }();
  if (end.failure) return *end.failure;
  if (!end.interrupted) return report_verdict(arguments, last);
  std::cerr << "cairn: interrupted; the server continues the comparison, and the same command waits for it\n";
  return kExitNo;
}

int run_verify(const ProjectionArguments& arguments) {
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  const auto asked = client->post_json(arguments.path("/verify"), "");
  if (!asked) return report_unreachable(asked.error());
  if (!asked->ok()) {
    // A verification that is already running serves as well.
    const auto running = client->get(arguments.path("/verify"));
    const bool is_followed = asked->status == 409 && running && running->ok() &&
                             is_under_way(json::parse(running->body, nullptr, false));
    if (!is_followed) return report_refusal(*asked, arguments.server.json);
  }
  return follow_verification(*client, arguments);
}

}  // namespace

void add_projection_verify_command(CLI::App& projection, CommandAction& action) {
  CLI::App& command = *projection.add_subcommand(
      "verify", "Rebuild the rows in a scratch copy, and compare them with the live ones");
  command.footer(
      "\nNothing is changed. Rows that differ are listed, with exit code 1: the live row and the row that "
      "the log\n"
      "gives now. `cairn projection rebuild` repairs them.\n"
      "\nExamples:\n"
      "  cairn projection verify customers\n"
      "  cairn projection verify customers --json");
  auto arguments = std::make_shared<ProjectionArguments>();
  add_projection_arguments(command, *arguments);
  run_after_parsing(command, action, [arguments] { return run_verify(*arguments); });
}

}  // namespace cairn::cli
