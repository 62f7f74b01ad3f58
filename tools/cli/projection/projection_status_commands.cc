#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/cli/projection/projection_arguments.h"
#include "tools/cli/projection/projection_commands.h"
#include "tools/cli/projection/status_text.h"
#include "tools/cli/server/answer_output.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/poll.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/live_text.h"
#include "tools/cli/text/terminal.h"

namespace cairn::cli {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct WatchArguments {
  bool watch = false;
  double interval_s = 1;

  std::chrono::milliseconds interval() const {
    return std::chrono::milliseconds(static_cast<std::int64_t>(interval_s * 1000));
  }
};

struct ListArguments : WatchArguments {
  ServerOptions server;
};

struct StatusArguments : WatchArguments {
  ProjectionArguments projection;
};

void add_watch_options(CLI::App& command, WatchArguments& arguments) {
  auto* watch = command.add_flag("--watch", arguments.watch, "Refresh until Ctrl-C");
  command.add_option("--interval", arguments.interval_s, "With --watch: seconds between refreshes")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.05, 3600.0))
      ->capture_default_str()
      ->needs(watch);
}

// The request, and how its answer is shown.
struct View {
  std::string path;
  std::function<std::string(const std::string& body)> text;
  std::function<std::string(const std::string& body)> json_line;
};

int watch(api::Client& client, const View& view, const WatchArguments& arguments, bool as_json) {
  LiveText live;
  std::string last;
  const auto take = [&](const std::string& body) {
    if (as_json) {
      std::cout << view.json_line(body) << std::endl;
    } else {
      live.show(last = view.text(body));
    }
    return std::cout ? PollNext::kGoOn : PollNext::kEnd;  // The pipe was closed, as by `| head`.
  };
  const auto lost = [&](const std::string& reason) {
    const std::string note = "cairn: " + reason + "; retrying";
    if (!as_json && is_terminal(STDOUT_FILENO)) {
      live.show(last + note + "\n");  // On stderr it would appear between the lines.
    } else {
      std::cerr << note << std::endl;
    }
  };
  const PollResult end =
      poll(client,
           {.path = view.path, .interval = arguments.interval(), .patience = std::nullopt, .json = as_json},
           take, lost);
  if (end.failure) return *end.failure;
  if (end.interrupted) std::cerr << "Stopped watching; the server continues.\n";
  return kExitOk;
}

int run_view(const View& view, const WatchArguments& arguments, const ServerOptions& server) {
  auto client = make_client(server);
  if (!client) return report_usage(client.error().message);
  if (arguments.watch) return watch(*client, view, arguments, server.json);
  const auto answer = client->get(view.path);
  if (!answer) return report_unreachable(answer.error());
  if (!answer->ok()) return report_refusal(*answer, server.json);
  std::cout << (server.json ? view.json_line(answer->body) + "\n" : view.text(answer->body));
  return kExitOk;
}

int run_list(const ListArguments& arguments) {
  const bool colour = wants_colour(STDOUT_FILENO);
  const auto text = [&](const std::string& body) {
    const json statuses = list_member(json::parse(body, nullptr, false), "projections");
    return statuses.empty() ? "No projection is deployed.\n" : statuses_text(statuses, colour);
  };
  const auto json_line = [](const std::string& body) {
    return dumped(ordered_json::parse(body, nullptr, false));
  };
  return run_view({"/projections", text, json_line}, arguments, arguments.server);
}

int run_status(const StatusArguments& arguments) {
  const bool colour = wants_colour(STDOUT_FILENO);
  const auto text = [&](const std::string& body) {
    return status_text(json::parse(body, nullptr, false), colour);
  };
  // The source is left out; `show` prints it.
  const auto json_line = [](const std::string& body) {
    ordered_json status = ordered_json::parse(body, nullptr, false);
    if (status.is_object()) status.erase("source");
    return dumped(status);
  };
  return run_view({arguments.projection.path(), text, json_line}, arguments, arguments.projection.server);
}

}  // namespace

void add_projection_list_command(CLI::App& projection, CommandAction& action) {
  CLI::App& command = *projection.add_subcommand("list", "Show all projections and their progress");
  command.footer(
      "\n--watch refreshes the output, on a terminal in place, with --json one line each time.\n"
      "\nExamples:\n"
      "  cairn projection list\n"
      "  cairn projection list --watch\n"
      "  cairn projection list --json");
  auto arguments = std::make_shared<ListArguments>();
  add_watch_options(command, *arguments);
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run_list(*arguments); });
}

void add_projection_status_command(CLI::App& projection, CommandAction& action) {
  CLI::App& command = *projection.add_subcommand("status", "Show the status of one projection");
  command.footer(
      "\n--watch refreshes the output, on a terminal in place, with --json one line each time.\n"
      "\nExamples:\n"
      "  cairn projection status customers\n"
      "  cairn projection status customers --watch --interval 0.2\n"
      "  cairn projection status customers --watch --json");
  auto arguments = std::make_shared<StatusArguments>();
  add_watch_options(command, *arguments);
  add_projection_arguments(command, arguments->projection);
  run_after_parsing(command, action, [arguments] { return run_status(*arguments); });
}

}  // namespace cairn::cli
