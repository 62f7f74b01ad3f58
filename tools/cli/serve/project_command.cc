#include "tools/cli/serve/project_command.h"

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

#include "eventstore/event_store.h"
#include "projections/daemon/projection_daemon.h"
#include "schemaregistry/registry/schema_registry.h"
#include "tools/cli/serve/logging.h"
#include "tools/cli/server/interruption.h"
#include "tools/cli/server/stop_signal.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/number_text.h"
#include "upcasters/event_shapes.h"

namespace cairn::cli {

namespace {

// So long a server may not see that rows have the log further, while no row changes. Each time costs a sync.
constexpr std::chrono::milliseconds kPublishEvery{20};

// How often --once looks whether it is done.
constexpr std::chrono::milliseconds kLookEvery{20};

constexpr unsigned kThreadsMax = 256;

struct ProjectArguments {
  std::string data = "./cairn-data";
  std::string log_format = "text";
  unsigned threads = 0;
  bool once = false;
};

// All that builds. The last one goes first.
struct Builder {
  std::unique_ptr<EventStore> store;
  std::unique_ptr<SchemaRegistry> registry;
  std::unique_ptr<EventShapes> shapes;
  std::unique_ptr<ProjectionDaemon> daemon;
};

Result<Builder> open_builder(const ProjectArguments& arguments,
                             std::function<void(std::string_view)> on_fatal) {
  const auto warn = [](std::string_view message) { spdlog::warn("{}", message); };
  const auto log_script = [](std::string_view text) { spdlog::info("script: {}", text); };
  FollowOptions follow;
  follow.on_fatal = std::move(on_fatal);
  follow.on_notice = warn;
  Builder builder;
  CAIRN_TRY(builder.store, EventStore::open_beside(arguments.data, std::move(follow)));
  spdlog::info("Following store {} in {}: head {}", builder.store->store_id(), arguments.data,
               builder.store->head().value);
  CAIRN_TRY(builder.registry, SchemaRegistry::open(*builder.store));
  CAIRN_TRY(builder.shapes, EventShapes::open_reader(*builder.store, *builder.registry, log_script));
  DaemonOptions options;
  options.threads = arguments.threads;
  options.catch_up_shapes = [shapes = builder.shapes.get()] { return shapes->catch_up(); };
  options.publish_position_every = kPublishEvery;
  options.on_notice = warn;
  options.on_event = [](std::string_view message) { spdlog::info("{}", message); };
  options.log = log_script;
  CAIRN_TRY(builder.daemon,
            ProjectionDaemon::open(*builder.store, *builder.shapes, arguments.data, std::move(options)));
  return builder;
}

int project_failed(const std::string& message) {
  spdlog::error("{}", message);
  return kExitNo;
}

int build_on(const ProjectArguments& arguments, const std::string& version) {
  StopSignal stop;
  auto builder = open_builder(arguments, [&stop](std::string_view reason) { stop.report_fatal(reason); });
  if (!builder) return project_failed("Cannot start: " + builder.error().message);
  builder->daemon->start();
  std::cout << "cairn " << version << " building the read models of " << arguments.data << std::endl;

  const StopReason reason = stop.wait();
  if (!reason.fatal) spdlog::info("{} received, stopping", reason.text);
  builder->daemon->stop();  // What was not committed is done again at the next start.
  if (reason.fatal) return project_failed("The store cannot be followed any more: " + reason.text);
  spdlog::info("Stopped");
  return kExitOk;
}

// Why a projection does not get there by itself; "" when it may.
std::string obstacle_of(const ProjectionStatus& status) {
  if (status.state == ProjectionState::kFaulted || status.state == ProjectionState::kPaused) {
    return status.name + " is " + std::string(to_string(status.state)) + ": " + status.reason;
  }
  return status.rebuild && !status.rebuild->holds.empty() ? status.name + ": " + status.rebuild->holds : "";
}

bool is_there(const ProjectionStatus& status, GlobalPosition head) {
  return status.generation > 0 && status.position >= head && !status.rebuild;
}

// Waits until all projections that can be are live and have the log through `head`. Returns what keeps the
// others from it; nullopt when a signal came, or `lost`, first.
std::optional<std::vector<std::string>> wait_for_all(ProjectionDaemon& daemon, GlobalPosition head,
                                                     Interruption& interruption,
                                                     const std::atomic<bool>& lost) {
  while (!interruption.came() && !lost) {
    std::vector<std::string> obstacles;
    bool is_done = true;
    for (const ProjectionStatus& status : daemon.list()) {
      if (is_there(status, head)) continue;
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
  auto builder = open_builder(arguments, [&lost](std::string_view reason) {
    spdlog::error("The store cannot be followed any more: {}", reason);
    lost = true;
  });
  if (!builder) return project_failed("Cannot start: " + builder.error().message);
  const GlobalPosition head = builder->store->head();
  builder->daemon->start();
  const auto obstacles = wait_for_all(*builder->daemon, head, interruption, lost);
  builder->daemon->stop();
  if (lost) return kExitNo;
  if (!obstacles) return project_failed("Interrupted before all read models were there");
  for (const std::string& obstacle : *obstacles) spdlog::error("{}", obstacle);
  if (!obstacles->empty()) return kExitNo;
  std::cout << counted(builder->daemon->list().size(), "projection") << " built through position "
            << head.value << std::endl;
  return kExitOk;
}

int run_project(const ProjectArguments& arguments, const std::string& version) {
  start_logging(arguments.log_format == "json" ? LogFormat::kJson : LogFormat::kText);
  ::umask(077);  // What is stored is nobody else's to read.
  return arguments.once ? build_once(arguments) : build_on(arguments, version);
}

}  // namespace

void add_project_command(CLI::App& app, const std::string& version, int& exit_code) {
  CLI::App& command =
      *app.add_subcommand("project", "Build read models beside a server, in a process of its own");
  command.footer(
      "\nFollows the log in the data folder of a server that runs with --projections read, which answers "
      "from\n"
      "the rows that are built here. Projections are deployed at the server. Stops after the batch under "
      "way\n"
      "on SIGTERM and Ctrl-C, and goes on where it was when it is started again.\n"
      "\nWith --once it ends when all projections are live and have the log as far as it went at the start:\n"
      "exit code 0, or 1 when one of them cannot get there.\n"
      "\nExamples:\n"
      "  cairn serve --data /var/lib/cairn --projections read\n"
      "  cairn project --data /var/lib/cairn\n"
      "  cairn project --data /var/lib/cairn --once");
  auto arguments = std::make_shared<ProjectArguments>();
  command.add_option("--data", arguments->data, "The data folder")->type_name("DIR")->capture_default_str();
  command
      .add_option("--threads", arguments->threads,
                  "How many threads build; without it as many as there are processors")
      ->type_name("N")
      ->check(CLI::Range(1u, kThreadsMax));
  command.add_option("--log-format", arguments->log_format, "How log lines look: text or json")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command.add_flag("--once", arguments->once, "End when all read models are there");
  command.callback([arguments, version, &exit_code] { exit_code = run_project(*arguments, version); });
}

}  // namespace cairn::cli
