#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/server_status_text.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/poll.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/live_text.h"
#include "tools/cli/text/terminal.h"

namespace cairn::cli {

namespace {

using nlohmann::ordered_json;

constexpr const char* kStatusPath = "/status";

struct ServerStatusArguments {
  ServerOptions server;
  double watch_s = 0;  // 0 = once
};

std::string status_line(const std::string& body) { return dumped(ordered_json::parse(body, nullptr, false)); }

std::string status_screen(const std::string& body, const std::string& url) {
  return server_status_text(nlohmann::json::parse(body, nullptr, false), url, wants_colour(STDOUT_FILENO));
}

int watch_status(api::Client& client, const ServerStatusArguments& arguments) {
  const bool as_json = arguments.server.json;
  LiveText live;
  std::string last;
  const auto take = [&](const std::string& body) {
    if (as_json) {
      std::cout << status_line(body) << std::endl;
    } else {
      live.show(last = status_screen(body, arguments.server.url));
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
  const auto interval = std::chrono::milliseconds(static_cast<std::int64_t>(arguments.watch_s * 1'000));
  const PollResult end =
      poll(client, {.path = kStatusPath, .interval = interval, .patience = std::nullopt, .json = as_json},
           take, lost);
  if (end.failure) return *end.failure;
  if (end.interrupted) std::cerr << "Stopped watching; the server continues.\n";
  return kExitOk;
}

int run_server_status(const ServerStatusArguments& arguments) {
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  if (arguments.watch_s > 0) return watch_status(*client, arguments);
  const auto answer = client->get(kStatusPath);
  if (!answer) return report_unreachable(answer.error());
  if (!answer->ok()) return report_refusal(*answer, arguments.server.json);
  std::cout << (arguments.server.json ? status_line(answer->body) + "\n"
                                      : status_screen(answer->body, arguments.server.url));
  return needs_attention(nlohmann::json::parse(answer->body, nullptr, false)) ? kExitNo : kExitOk;
}

}  // namespace

void add_status_command(CLI::App& app, CommandAction& action) {
  CLI::App& command = *app.add_subcommand("status", "Show on one screen how a server is doing");
  command.footer(
      "\nShows the head, rates and commit times of the last minute, disk and growth, the index, what is "
      "deployed,\n"
      "projections, and what needs a person. For monitors: the exit code is 0 when nothing does, 1 when "
      "something does\n"
      "or the server refuses, 3 when no server answers. --watch refreshes the output, on a terminal in "
      "place, "
      "with\n"
      "--json one line each time.\n"
      "\nExamples:\n"
      "  cairn status\n"
      "  cairn status --watch\n"
      "  cairn status --json | jq .needsAttention");
  auto arguments = std::make_shared<ServerStatusArguments>();
  command.add_option("--watch", arguments->watch_s, "Refresh every so many seconds until Ctrl-C")
      ->type_name("SECONDS")
      ->expected(0, 1)
      ->check(CLI::Range(0.05, 3600.0))
      ->default_str("2");
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run_server_status(*arguments); });
}

}  // namespace cairn::cli
