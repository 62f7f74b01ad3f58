#include "tools/cli/serve/serve_commands.h"

#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "projections/engine/follower_engine.h"
#include "tools/cli/config/setting.h"
#include "tools/cli/serve/configuration_log.h"
#include "tools/cli/serve/logging.h"
#include "tools/cli/serve/process_id.h"
#include "tools/cli/server/interruption.h"
#include "tools/cli/server/stop_signal.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/number_text.h"

namespace cairn::cli {

namespace {

// How often the position is published while no row changes: a server that reads beside it sees progress at
// most this late. Each time costs a sync.
constexpr std::chrono::milliseconds kPublishEvery{20};

// How often --once checks whether all projections have caught up.
constexpr std::chrono::milliseconds kLookEvery{20};

constexpr unsigned kThreadsMax = 256;

struct ProjectArguments {
  std::string config;
  std::string data = "./cairn-data";
  LogFormat log_format = LogFormat::kText;
  unsigned threads = 0;
  bool once = false;
};

Result<std::unique_ptr<FollowerEngine>> open_engine(const ProjectArguments& arguments,
                                                    std::function<void(std::string_view)> on_fatal) {
  const auto warn = [](std::string_view message) { spdlog::warn("{}", message); };
  FollowerEngineOptions options;
  options.follow.on_fatal = std::move(on_fatal);
  options.follow.on_notice = warn;
  options.daemon.threads = arguments.threads;
  options.daemon.publish_position_every = kPublishEvery;
  options.daemon.on_notice = warn;
  options.daemon.on_event = [](std::string_view message) { spdlog::info("{}", message); };
  options.log = [](std::string_view text) { spdlog::info("script: {}", text); };
  CAIRN_TRY(auto engine, FollowerEngine::open(arguments.data, std::move(options)));
  spdlog::info("Following store {} in {}: head {}", engine->log().store_id(), arguments.data,
               engine->log().head().value);
  return engine;
}

int project_failed(const std::string& message) {
  spdlog::error("{}", message);
  return kExitNo;
}

int build_on(const ProjectArguments& arguments, const std::string& version) {
  StopSignal stop;
  auto engine = open_engine(arguments, [&stop](std::string_view reason) { stop.report_fatal(reason); });
  if (!engine) return project_failed("Cannot start: " + engine.error().message);
  if (const Status started = (*engine)->start(); !started.ok())
    return project_failed(started.error().message);
  std::cout << "cairn " << version << " building the read models of " << arguments.data << std::endl;

  const StopReason reason = stop.wait();
  if (!reason.fatal) spdlog::info("{} received, stopping", reason.text);
  (*engine)->close();  // Uncommitted batches are repeated at the next start.
  if (reason.fatal) return project_failed("The store cannot be followed any more: " + reason.text);
  spdlog::info("Stopped");
  return kExitOk;
}

// Why a projection cannot catch up without an operator; "" when it can.
std::string obstacle_of(const ProjectionStatus& status) {
  if (status.state == ProjectionState::kFaulted || status.state == ProjectionState::kPaused) {
    return status.name + " is " + std::string(to_string(status.state)) + ": " + status.reason;
  }
  return status.rebuild && !status.rebuild->holds.empty() ? status.name + ": " + status.rebuild->holds : "";
}

bool has_caught_up(const ProjectionStatus& status, GlobalPosition head) {
  return status.generation > 0 && status.position >= head && !status.rebuild;
}

// Waits until every projection that can is live and has applied the log through `head`. Returns the obstacles
// of the others; nullopt when a signal or `lost` ended the wait.
std::optional<std::vector<std::string>> wait_for_all(ProjectionDaemon& daemon, GlobalPosition head,
                                                     Interruption& interruption,
                                                     const std::atomic<bool>& lost) {
  while (!interruption.arrived() && !lost) {
    std::vector<std::string> obstacles;
    bool is_done = true;
    for (const ProjectionStatus& status : daemon.list()) {
      if (has_caught_up(status, head)) continue;
      const std::string obstacle = obstacle_of(status);
      if (obstacle.empty()) is_done = false;
      if (!obstacle.empty()) obstacles.push_back(obstacle);
    }
    if (is_done) return obstacles;
    interruption.pause(kLookEvery);
  }
  return std::nullopt;
}

int build_once(const ProjectArguments& arguments) {
  Interruption interruption([] {});
  std::atomic<bool> lost = false;
  auto engine = open_engine(arguments, [&lost](std::string_view reason) {
    spdlog::error("The store cannot be followed any more: {}", reason);
    lost = true;
  });
  if (!engine) return project_failed("Cannot start: " + engine.error().message);
  ProjectionDaemon& daemon = (*engine)->daemon();
  const GlobalPosition head = (*engine)->log().head();
  if (const Status started = (*engine)->start(); !started.ok())
    return project_failed(started.error().message);
  const auto obstacles = wait_for_all(daemon, head, interruption, lost);
  const std::size_t projections = daemon.list().size();
  (*engine)->close();
  if (lost) return kExitNo;
  if (!obstacles) return project_failed("Interrupted before all read models had caught up");
  for (const std::string& obstacle : *obstacles) spdlog::error("{}", obstacle);
  if (!obstacles->empty()) return kExitNo;
  std::cout << counted(projections, "projection") << " built through position " << head.value << std::endl;
  return kExitOk;
}

int run_project(CLI::App& app, const ProjectArguments& arguments, const std::string& version) {
  start_logging(arguments.log_format);
  log_configuration(app, arguments.config);
  if (const auto ended = continue_with_free_process_id(arguments.data)) return *ended;
  ::umask(077);  // Stored events are readable by the owner only.
  return arguments.once ? build_once(arguments) : build_on(arguments, version);
}

}  // namespace

void add_project_command(CLI::App& app, const std::string& version, CommandAction& action) {
  CLI::App& command = *app.add_subcommand("project", "Build read models in a separate process");
  command.footer(
      "\nFollows the log in the data folder of a server that runs with --projections read, which answers "
      "queries from\n"
      "the rows that are built here. Projections are deployed at the server. Stops after the current batch "
      "on\n"
      "SIGTERM and Ctrl-C, and continues there when it is started again.\n"
      "\nWith --once it exits when all projections are live and have caught up with the log as of the start: "
      "exit\n"
      "code 0, or 1 when one of them cannot.\n" +
      config_help() +
      "\nExamples:\n"
      "  cairn serve --data /var/lib/cairn --projections read\n"
      "  cairn project --data /var/lib/cairn\n"
      "  cairn project --data /var/lib/cairn --once");
  auto arguments = std::make_shared<ProjectArguments>();
  add_config_option(command, arguments->config);
  command.add_option("--data", arguments->data, "The data folder")->type_name("DIR")->capture_default_str();
  command
      .add_option("--threads", arguments->threads, "Threads that build; as many as processors when not given")
      ->type_name("N")
      ->check(CLI::Range(1u, kThreadsMax));
  add_log_format(command, arguments->log_format);
  command.add_flag("--once", arguments->once, "Exit when all read models have caught up");
  run_after_parsing(command, action,
                    [&app, arguments, version] { return run_project(app, *arguments, version); });
}

}  // namespace cairn::cli
