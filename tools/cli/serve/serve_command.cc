#include "tools/cli/serve/serve_commands.h"

#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/aggregates/aggregate_service.h"
#include "api/events/follower_wakeups.h"
#include "api/http/browser_origins.h"
#include "api/metrics/metrics.h"
#include "api/net/http_server.h"
#include "api/projections/projection_service.h"
#include "api/registry/registry_service.h"
#include "api/server/routes.h"
#include "api/upcasters/deploy_service.h"
#include "projections/engine/engine.h"
#include "tools/cli/config/setting.h"
#include "tools/cli/serve/configuration_log.h"
#include "tools/cli/serve/disk_facts.h"
#include "tools/cli/serve/logging.h"
#include "tools/cli/serve/process_id.h"
#include "tools/cli/serve/reloader.h"
#include "tools/cli/serve/serve_options.h"
#include "tools/cli/server/stop_signal.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/number_text.h"

namespace cairn::cli {

namespace {

// Shutdown is documented to take at most 5 s; closing the store needs the rest.
constexpr std::chrono::milliseconds kStopGrace{3'000};

// After a failed commit only answers that are already decided are sent.
constexpr std::chrono::milliseconds kFatalGrace{500};

// One descriptor for each connection; many systems start a process with 1,024.
void allow_many_connections() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) spdlog::warn("The limit of open files could not be raised.");
}

Result<EngineOptions> engine_options(const ServeArguments& arguments, api::Metrics& metrics,
                                     StopSignal& stop) {
  const auto warn = [](std::string_view message) { spdlog::warn("{}", message); };
  EngineOptions options;
  CAIRN_TRY(options.store.dedup_window_days, parse_dedup_days(arguments.dedup_days));
  options.store.on_fatal = [&stop](std::string_view reason) { stop.report_fatal(reason); };
  options.store.on_commit = [&metrics](const CommitReport& report) { metrics.committed(report); };
  options.store.on_notice = warn;
  options.daemon.projections_max = arguments.projections_max;
  options.daemon.on_notice = warn;
  options.daemon.on_event = [](std::string_view message) { spdlog::info("{}", message); };
  options.read_models = arguments.projections;
  options.log = [](std::string_view text) { spdlog::info("script: {}", text); };
  options.on_store_open = [data = arguments.data](const EventStore& store, std::chrono::nanoseconds took) {
    const StoreStats stats = store.stats();
    spdlog::info(
        "Opened store {} in {}: head {}, {} events recovered from the end of the log, log {}, in {:.2f} s",
        store.store_id(), data, store.head().value, stats.tail_events, byte_size(stats.log_bytes),
        std::chrono::duration<double>(took).count());
  };
  return options;
}

int serve_failed(const Error& error) {
  spdlog::error("Cannot start: {}", error.message);
  return kExitNo;
}

int engine_failed(const Error& error) {
  // The message of a refused system call names the file; the option that leads elsewhere helps.
  spdlog::error("Cannot start: {}{}", error.message,
                error.code == Errc::kIo ? "; --data names another folder" : "");
  return kExitNo;
}

// A part of the engine that is ready as soon as it is made and is stopped in its turn.
EnginePart stopped_by(std::string name, std::function<void()> stop) {
  return {.name = std::move(name), .start = {}, .stop = std::move(stop)};
}

// Address, tokens and TLS. Fails when a file cannot be read or is not valid.
Result<api::ServerOptions> server_options(const ServeArguments& arguments, api::Metrics& metrics) {
  api::ServerOptions options;
  CAIRN_TRY(options.address, api::parse_listen_address(arguments.listen));
  options.observer = &metrics;
  options.limits.answer_cpu_max = std::chrono::milliseconds(arguments.request_cpu_ms);
  options.limits.check_cpu_max = std::chrono::milliseconds(arguments.compatibility_cpu_ms);
  for (const std::string& origin : arguments.cors_origins) {
    CAIRN_TRY(options.cors_origins.emplace_back(), api::parse_origin(origin));
  }
  CAIRN_TRY(Access access, read_access(arguments.access));
  options.tokens = std::move(access.tokens);
  options.tls = std::move(access.tls);
  if (!options.tls && options.tokens && !api::check_loopback(options.address).ok()) {
    spdlog::warn(
        "{} is served without TLS: tokens and events can be read on the way. Give --tls-cert and "
        "--tls-key, or use a proxy with TLS.",
        options.address.to_string());
  }
  return options;
}

int run_serve(CLI::App& app, const ServeArguments& arguments, const std::string& version) {
  start_logging(arguments.log_format);
  log_configuration(app, arguments.config);
  if (const auto ended = continue_with_free_process_id(arguments.data)) return *ended;
  ::umask(077);  // Stored events are readable by the owner only.
  std::signal(SIGPIPE, SIG_IGN);
  allow_many_connections();
  StopSignal stop(StopSignal::Hangup::kHandled);

  // The server listens before recovery, so that /ready answers "not yet" while a large log is recovered.
  api::Metrics metrics;
  api::FollowerWakeups wakeups;
  api::StoreSlot slot;
  Reloader reloader(arguments.access);
  auto options = server_options(arguments, metrics);
  if (!options) return serve_failed(options.error());
  const char* const scheme = options->tls ? "https://" : "http://";
  auto server = api::HttpServer::start(
      *std::move(options),
      api::Router(api::all_routes({.store = slot,
                                   .wakeups = wakeups,
                                   .metrics = metrics,
                                   .schemas = arguments.schemas,
                                   .version = version,
                                   .reload = [&reloader] { return reloader.reload(); }})));
  if (!server) return serve_failed(server.error());
  reloader.attach(**server);

  auto prepared = engine_options(arguments, metrics, stop);
  if (!prepared) return serve_failed(prepared.error());
  auto opened = Engine::open(arguments.data, *std::move(prepared));
  if (!opened) return engine_failed(opened.error());
  for (const std::string& reason : reasons_for_distrust(disk_facts(arguments.data)))
    spdlog::warn("Acknowledged events can be lost when the power fails: {}.", reason);
  Engine& engine = **opened;
  api::RegistryService registry(engine.registry());
  api::DeployService deployments(engine.shapes(), metrics);
  api::AggregateService aggregates(engine.states());
  std::optional<api::ProjectionService> projections;
  if (engine.read_models() != nullptr) projections.emplace(*engine.read_models(), engine.daemon());

  // Stopped in the reverse order. Deployments go first, so that a client that waits for one still learns that
  // it was given up; the registry's thread goes after the server, since requests ask it until then.
  engine.add(stopped_by("registry", [&] { registry.stop(); }));
  engine.add({.name = "followers",
              .start = [&]() -> Status {
                wakeups.start(engine.store());
                return {};
              },
              .stop = [&] { wakeups.stop(); }});
  engine.add(stopped_by("server", [&] { (*server)->stop(kStopGrace); }));
  engine.add(stopped_by("compatibility checks", [&] { registry.cancel_checks(); }));
  if (projections) engine.add(stopped_by("rows", [&] { projections->stop(); }));
  engine.add(stopped_by("aggregates", [&] { aggregates.stop(); }));
  engine.add(stopped_by("deployments", [&] { deployments.stop(); }));
  if (const Status started = engine.start(); !started.ok()) return serve_failed(started.error());
  slot.set(engine.store(), engine.registry(), registry, engine.shapes(), deployments, aggregates,
           projections ? &*projections : nullptr);
  std::cout << "cairn " << version << " serving " << arguments.data << " on " << scheme
            << (*server)->address().to_string() << std::endl;

  const StopReason reason =
      stop.wait([&reloader] { [[maybe_unused]] const auto logged = reloader.reload(); });
  if (reason.fatal) {
    spdlog::critical("The store cannot continue: {}. Exiting; restart to recover.", reason.text);
    (*server)->stop(kFatalGrace);
    std::_Exit(kExitNo);  // The store cannot be closed in order any more.
  }
  spdlog::info("{} received, stopping", reason.text);
  engine.close();  // While the server object lives: the store may still hold answers to its requests.
  spdlog::info("Stopped");
  return kExitOk;
}

}  // namespace

void add_serve_command(CLI::App& app, const std::string& version, CommandAction& action) {
  CLI::App& command = *app.add_subcommand("serve", "Start a server on a data folder");
  command.footer(
      "\nCreates the folder if it does not exist. Shuts down cleanly on SIGTERM and Ctrl-C; on SIGHUP\n"
      "reads tokens and certificate again.\n" +
      config_help() +
      "\nExamples:\n"
      "  cairn serve\n"
      "  cairn serve --config /etc/cairn/cairn.toml\n"
      "  cairn serve --data /var/lib/cairn --listen 127.0.0.1:9000 --log-format json\n"
      "  cairn serve --listen 0.0.0.0:7878 --tokens tokens --tls-cert cert.pem --tls-key key.pem\n"
      "  cairn serve --projections read                        with a process of cairn project\n"
      "  curl http://127.0.0.1:7878/ready");
  auto arguments = std::make_shared<ServeArguments>();
  add_serve_options(command, *arguments);
  run_after_parsing(command, action,
                    [&app, arguments, version] { return run_serve(app, *arguments, version); });
}

}  // namespace cairn::cli
