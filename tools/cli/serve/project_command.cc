#include "tools/cli/serve/serve_commands.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "projections/engine/follower_engine.h"
#include "tools/cli/config/setting.h"
#include "tools/cli/serve/configuration_log.h"
#include "tools/cli/serve/log_lines.h"
#include "tools/cli/serve/process_id.h"
#include "tools/cli/serve/server_logs.h"
#include "tools/cli/server/interruption.h"
#include "tools/cli/server/stop_signal.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/folder_argument.h"
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
  LogOptions log;
  unsigned threads = 0;
  bool once = false;
};

Result<std::unique_ptr<FollowerEngine>> open_engine(const ProjectArguments& arguments, ServerLog& log,
                                                    std::function<void(std::string_view)> on_fatal) {
  FollowerEngineOptions options;
  options.follow.on_fatal = std::move(on_fatal);
  options.follow.on_log = log.sink();
  options.daemon.threads = arguments.threads;
  options.daemon.publish_position_every = kPublishEvery;
  options.daemon.on_log = log.sink();
  options.log = [&log](std::string_view text) { log.write(script_line(text)); };
  CAIRN_TRY(auto engine, FollowerEngine::open(arguments.data, std::move(options)));
  log.write(LogEvent(LogLevel::kInfo, "following",
                     fmt::format("Following store {} in {}: head {}", engine->log().store_id(),
                                 arguments.data, engine->log().head().value))
                .with("storeId", engine->log().store_id())
                .with("data", arguments.data)
                .with("head", engine->log().head().value));
  return engine;
}

int project_failed(ServerLog& log, const LogEvent& event) {
  log.write(event);
  return kExitNo;
}

LogEvent follow_ended_line(std::string_view reason) {
  return LogEvent(LogLevel::kError, "follow-ended",
                  fmt::format("The store cannot be followed any more: {}", reason))
      .with("error", reason);
}

int build_on(const ProjectArguments& arguments, const std::string& version, ServerLog& log) {
  StopSignal stop;
  auto engine = open_engine(arguments, log, [&stop](std::string_view reason) { stop.report_fatal(reason); });
  if (!engine) return project_failed(log, cannot_start_line(engine.error().message));
  if (const Status started = (*engine)->start(); !started.ok())
    return project_failed(log, cannot_start_line(started.error().message));
  log.print(LogEvent(LogLevel::kInfo, "building",
                     fmt::format("cairn {} building the read models of {}", version, arguments.data))
                .with("version", version)
                .with("data", arguments.data));

  const StopReason reason = stop.wait();
  const auto began = std::chrono::steady_clock::now();
  log.write(reason.fatal ? follow_ended_line(reason.text) : stopping_line(reason.text));
  (*engine)->close();  // Uncommitted batches are repeated at the next start.
  log.write(stopped_line(std::chrono::steady_clock::now() - began));
  return reason.fatal ? kExitNo : kExitOk;
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

int build_once(const ProjectArguments& arguments, ServerLog& log) {
  Interruption interruption([] {});
  std::atomic<bool> lost = false;
  auto engine = open_engine(arguments, log, [&lost, &log](std::string_view reason) {
    log.write(follow_ended_line(reason));
    lost = true;
  });
  if (!engine) return project_failed(log, cannot_start_line(engine.error().message));
  ProjectionDaemon& daemon = (*engine)->daemon();
  const GlobalPosition head = (*engine)->log().head();
  if (const Status started = (*engine)->start(); !started.ok())
    return project_failed(log, cannot_start_line(started.error().message));
  const auto obstacles = wait_for_all(daemon, head, interruption, lost);
  const std::size_t projections = daemon.list().size();
  (*engine)->close();
  if (lost) return kExitNo;
  if (!obstacles) {
    return project_failed(
        log, LogEvent(LogLevel::kError, "interrupted", "Interrupted before all read models had caught up")
                 .with("head", head.value));
  }
  for (const std::string& obstacle : *obstacles)
    log.write(LogEvent(LogLevel::kError, "not-caught-up", obstacle).with("head", head.value));
  if (!obstacles->empty()) return kExitNo;
  log.print(
      LogEvent(LogLevel::kInfo, "built",
               fmt::format("{} built through position {}", counted(projections, "projection"), head.value))
          .with("projections", projections)
          .with("position", head.value));
  return kExitOk;
}

int run_project(CLI::App& app, const ProjectArguments& arguments, const std::string& version) {
  if (const auto ended = continue_with_free_process_id(arguments.data)) return *ended;
  ::umask(077);  // Stored events are readable by the owner only.
  ServerLog log(arguments.log);
  log_configuration(app, arguments.config, log.sink());
  return arguments.once ? build_once(arguments, log) : build_on(arguments, version, log);
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
  command.add_option("--data", arguments->data, "The data folder")
      ->type_name("DIR")
      ->check(CLI::Validator(check_folder_name, ""))
      ->capture_default_str();
  command
      .add_option("--threads", arguments->threads, "Threads that build; as many as processors when not given")
      ->type_name("N")
      ->check(CLI::Range(1u, kThreadsMax));
  add_log_options(command, arguments->log);
  command.add_flag("--once", arguments->once, "Exit when all read models have caught up");
  run_after_parsing(command, action,
                    [&app, arguments, version] { return run_project(app, *arguments, version); });
}

}  // namespace cairn::cli
