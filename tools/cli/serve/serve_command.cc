#include "tools/cli/serve/serve_commands.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/access/tickets.h"
#include "api/aggregates/aggregate_service.h"
#include "api/events/follower_wakeups.h"
#include "api/http/browser_origins.h"
#include "api/http/server_log.h"
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
#include "tools/cli/serve/log_lines.h"
#include "tools/cli/serve/process_id.h"
#include "tools/cli/serve/reloader.h"
#include "tools/cli/serve/serve_options.h"
#include "tools/cli/serve/server_logs.h"
#include "tools/cli/server/stop_signal.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/number_text.h"

namespace cairn::cli {

namespace {

// Shutdown is documented to take at most 5 s; closing the store needs the rest.
constexpr std::chrono::milliseconds kStopGrace{3'000};

// After a failed commit only answers that are already decided are sent.
constexpr std::chrono::milliseconds kFatalGrace{500};

// The lines of routes go to the log while it exists.
class ServerLogInUse {
 public:
  explicit ServerLogInUse(ServerLog& log) { api::set_server_log(log.sink()); }
  ~ServerLogInUse() { api::set_server_log({}); }
  ServerLogInUse(const ServerLogInUse&) = delete;
  ServerLogInUse& operator=(const ServerLogInUse&) = delete;
};

// One descriptor for each connection; many systems start a process with 1,024.
void allow_many_connections(ServerLog& log) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) == 0) return;
  log.write(LogEvent(LogLevel::kWarning, "open-files-limit",
                     fmt::format("The limit of open files could not be raised to {}",
                                 static_cast<std::uint64_t>(limit.rlim_max)))
                .with("limit", static_cast<std::uint64_t>(limit.rlim_max)));
}

Result<EngineOptions> engine_options(const ServeArguments& arguments, api::Metrics& metrics, StopSignal& stop,
                                     ServerLog& log) {
  EngineOptions options;
  CAIRN_TRY(options.store.dedup_window_days, parse_dedup_days(arguments.dedup_days));
  options.store.on_fatal = [&stop](std::string_view reason) { stop.report_fatal(reason); };
  options.store.on_commit = [&metrics](const CommitReport& report) { metrics.committed(report); };
  options.store.on_log = log.sink();
  options.daemon.projections_max = arguments.projections_max;
  options.daemon.on_log = log.sink();
  options.daemon.on_rows_committed = [&metrics](std::chrono::microseconds age) {
    metrics.rows_committed(age);
  };
  options.read_models = arguments.projections;
  options.log = [&log](std::string_view text) { log.write(script_line(text)); };
  options.on_store_open = [data = arguments.data, &log](const EventStore& store,
                                                        std::chrono::nanoseconds took) {
    const StoreStats stats = store.stats();
    log.write(LogEvent(LogLevel::kInfo, "store-opened",
                       fmt::format("Opened store {} in {}: head {}, {} events recovered from the end of the "
                                   "log, log {}, in {:.2f} s",
                                   store.store_id(), data, store.head().value, stats.tail_events,
                                   byte_size(stats.log_bytes), std::chrono::duration<double>(took).count()))
                  .with("storeId", store.store_id())
                  .with("data", data)
                  .with("head", store.head().value)
                  .with("recoveredEvents", stats.tail_events)
                  .with("logBytes", stats.log_bytes)
                  .with("durationMs", std::chrono::duration_cast<std::chrono::milliseconds>(took).count()));
  };
  return options;
}

int serve_failed(ServerLog& log, const std::string& message) {
  log.write(cannot_start_line(message));
  return kExitNo;
}

int engine_failed(ServerLog& log, const Error& error) {
  // The message of a refused system call names the file; the option that leads elsewhere helps.
  return serve_failed(log, error.message + (error.code == Errc::kIo ? "; --data names another folder" : ""));
}

// A part of the engine that is ready as soon as it is made and is stopped in its turn.
EnginePart stopped_by(std::string name, std::function<void()> stop) {
  return {.name = std::move(name), .start = {}, .stop = std::move(stop)};
}

// Address, tokens and TLS. Fails when a file cannot be read or is not valid.
Result<api::ServerOptions> server_options(const ServeArguments& arguments, api::Metrics& metrics,
                                          ServerLog& log) {
  api::ServerOptions options;
  CAIRN_TRY(options.address, api::parse_listen_address(arguments.listen));
  options.observer = &metrics;
  options.limits.answer_cpu_max = std::chrono::milliseconds(arguments.request_cpu_ms);
  options.limits.check_cpu_max = std::chrono::milliseconds(arguments.compatibility_cpu_ms);
  for (const std::string& origin : arguments.cors_origins) {
    CAIRN_TRY(options.cors_origins.emplace_back(), api::parse_origin(origin));
  }
  CAIRN_TRY(Access access, read_access(arguments.access, log.sink()));
  options.tokens = std::move(access.tokens);
  options.tls = std::move(access.tls);
  if (!options.tls && options.tokens && !api::check_loopback(options.address).ok()) {
    log.write(LogEvent(LogLevel::kWarning, "no-tls",
                       fmt::format("{} is served without TLS: tokens and events can be read on the way. Give "
                                   "--tls-cert and --tls-key, or use a proxy with TLS.",
                                   options.address.to_string()))
                  .with("address", options.address.to_string()));
  }
  return options;
}

int run_serve(CLI::App& app, const ServeArguments& arguments, const std::string& version) {
  if (const auto ended = continue_with_free_process_id(arguments.data)) return *ended;
  ::umask(077);  // Stored events are readable by the owner only.
  std::signal(SIGPIPE, SIG_IGN);
  StopSignal stop(StopSignal::Hangup::kHandled);
  api::Metrics metrics({.version = version, .data = arguments.data});
  ServerLog log(arguments.log, [&metrics](std::uint64_t lines) {
    metrics.log_lines_dropped(api::DroppedLog::kServer, lines);
  });
  const ServerLogInUse in_use(log);
  log_configuration(app, arguments.config, log.sink());
  allow_many_connections(log);
  std::unique_ptr<AccessLog> access;
  if (!arguments.access_log.empty()) {
    auto opened = AccessLog::open(arguments.access_log, log, [&metrics](std::uint64_t lines) {
      metrics.log_lines_dropped(api::DroppedLog::kAccess, lines);
    });
    if (!opened) return serve_failed(log, opened.error().message);
    access = *std::move(opened);
  }

  // The server listens before recovery, so that /ready answers "not yet" while a large log is recovered.
  api::FollowerWakeups wakeups;
  api::StoreSlot slot;
  api::Tickets tickets;
  Reloader reloader(arguments.access, log);
  const std::vector<std::string> distrust = reasons_for_distrust(disk_facts(arguments.data));
  auto options = server_options(arguments, metrics, log);
  if (!options) return serve_failed(log, options.error().message);
  options->tickets = &tickets;
  if (access) options->on_access = [&access](const api::AccessRecord& record) { access->write(record); };
  const char* const scheme = options->tls ? "https://" : "http://";
  auto server = api::HttpServer::start(
      *std::move(options),
      api::Router(api::all_routes({.store = slot,
                                   .wakeups = wakeups,
                                   .metrics = metrics,
                                   .schemas = arguments.schemas,
                                   .version = version,
                                   .data = std::filesystem::absolute(arguments.data).lexically_normal(),
                                   .disk_distrust = distrust,
                                   .reload = [&reloader] { return reloader.reload("POST /reload"); },
                                   .tickets = &tickets})));
  if (!server) return serve_failed(log, server.error().message);
  reloader.attach(**server);

  auto prepared = engine_options(arguments, metrics, stop, log);
  if (!prepared) return serve_failed(log, prepared.error().message);
  auto opened = Engine::open(arguments.data, *std::move(prepared));
  if (!opened) return engine_failed(log, opened.error());
  for (const std::string& reason : distrust) {
    log.write(LogEvent(LogLevel::kWarning, "disk-untrusted",
                       "Acknowledged events can be lost when the power fails: " + reason + ".")
                  .with("data", arguments.data)
                  .with("reason", reason));
  }
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
  if (const Status started = engine.start(); !started.ok()) return serve_failed(log, started.error().message);
  slot.set(engine.store(), engine.registry(), registry, engine.shapes(), deployments, aggregates,
           projections ? &*projections : nullptr);
  const std::string url = scheme + (*server)->address().to_string();
  log.print(LogEvent(LogLevel::kInfo, "serving",
                     fmt::format("cairn {} serving {} on {}", version, arguments.data, url))
                .with("version", version)
                .with("data", arguments.data)
                .with("url", url));

  const StopReason reason = stop.wait([&] {
    if (access) access->reopen();
    [[maybe_unused]] const auto logged = reloader.reload("SIGHUP");
  });
  if (reason.fatal) {
    log.write(
        LogEvent(LogLevel::kError, "store-failed",
                 fmt::format("The store cannot continue: {}. Exiting; restart to recover.", reason.text))
            .with("error", reason.text));
    (*server)->stop(kFatalGrace);
    access.reset();
    log.stop();
    std::_Exit(kExitNo);  // The store cannot be closed in order any more.
  }
  const auto began = std::chrono::steady_clock::now();
  log.write(stopping_line(reason.text));
  engine.close();  // While the server object lives: the store may still hold answers to its requests.
  log.write(stopped_line(std::chrono::steady_clock::now() - began));
  return kExitOk;
}

}  // namespace

void add_serve_command(CLI::App& app, const std::string& version, CommandAction& action) {
  CLI::App& command = *app.add_subcommand("serve", "Start a server on a data folder");
  command.footer(
      "\nCreates the folder if it does not exist. Shuts down cleanly on SIGTERM and Ctrl-C; on SIGHUP\n"
      "reads tokens and certificate again, and opens the access log again.\n" +
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
