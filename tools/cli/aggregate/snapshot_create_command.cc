#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "api/client/server_url.h"
#include "tools/cli/aggregate/aggregate_commands.h"
#include "tools/cli/aggregate/snapshot_run.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/interruption.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/number_text.h"

namespace cairn::cli {

namespace {

constexpr int kCreated = 201;

struct CreateArguments {
  ServerOptions server;
  std::string stream;
  bool all = false;
  std::string category;
};

std::string created_line(const api::Answer& answer) {
  const auto made = nlohmann::json::parse(answer.body, nullptr, false);
  return on_one_line(text_member(made, "stream") +
                     (answer.status == kCreated ? ": snapshot made" : ": snapshot already there") +
                     " at version " + std::to_string(number_member(made, "version")) + ", " +
                     byte_size(number_member(made, "bytes")));
}

int create_one(api::Client& client, const CreateArguments& arguments) {
  const auto answer =
      client.post_json("/streams/" + api::percent_encoded(arguments.stream) + "/snapshot", "");
  if (!answer) return report_unreachable(answer.error());
  if (!answer->ok()) return report_refusal(*answer, arguments.server.json);
  std::cout << (arguments.server.json ? answer->body : created_line(*answer)) << '\n';
  return kExitOk;
}

int report_run(const std::string& report, bool json) {
  const bool failed = failed_in(report) > 0;
  if (json) {
    std::cout << report << '\n';
  } else {
    if (failed) std::cout << snapshot_failures_text(report) << std::flush;
    (failed ? std::cerr << "cairn: " : std::cout) << report_line(report) << '\n';
  }
  return failed ? kExitNo : kExitOk;
}

int create_all(api::Client& client, const CreateArguments& arguments) {
  bool interrupted = false;
  const auto answer = [&] {
    const Interruption interruption([&client] { client.stop(); });
    auto run = run_snapshots(client, arguments.category);
    interrupted = interruption.arrived();
    return run;
  }();
  if (answer && answer->ok()) return report_run(answer->body, arguments.server.json);
  if (answer) return report_refusal(*answer, arguments.server.json);
  std::cerr << "cairn: " << (interrupted ? "interrupted" : answer.error().message);
  if (answer.error().code != Errc::kIo) {
    std::cerr << "; finished snapshots are kept, and the same command continues after them";
  }
  std::cerr << '\n';
  return interrupted ? kExitNo : kExitUnreachable;
}

int run_create(const CreateArguments& arguments) {
  if (arguments.all == !arguments.stream.empty()) {
    return report_usage("name a stream, or say --all --category CATEGORY");
  }
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  return arguments.all ? create_all(*client, arguments) : create_one(*client, arguments);
}

}  // namespace

void add_snapshot_create_command(CLI::App& snapshot, CommandAction& action) {
  CLI::App& command =
      *snapshot.add_subcommand("create", "Make a snapshot of a stream, or of all streams of a category");
  command.footer(
      "\nA stream whose newest state has a snapshot is skipped, so that an interrupted run continues where "
      "it\n"
      "stopped. A stream that fails does not end the run: failures are listed at the end, with exit code 1.\n"
      "\nExamples:\n"
      "  cairn snapshot create order-42\n"
      "  cairn snapshot create --all --category order\n"
      "  cairn snapshot create --all --category order --json");
  auto arguments = std::make_shared<CreateArguments>();
  command.add_option("stream", arguments->stream, "The stream")->type_name("STREAM");
  auto* all = command.add_flag("--all", arguments->all, "All streams of a category");
  auto* category = command.add_option("--category", arguments->category, "Which category, with --all")
                       ->type_name("CATEGORY");
  all->needs(category);
  category->needs(all);
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run_create(*arguments); });
}

}  // namespace cairn::cli
