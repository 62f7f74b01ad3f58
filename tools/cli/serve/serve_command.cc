#include "tools/cli/serve/serve_commands.h"

#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <charconv>
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
#include "tools/cli/serve/disk_facts.h"
#include "tools/cli/serve/logging.h"
#include "tools/cli/serve/process_id.h"
#include "tools/cli/serve/reloader.h"
#include "tools/cli/server/stop_signal.h"
#include "tools/cli/text/choice_option.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/number_text.h"

namespace cairn::cli {

namespace {

// Shutdown is documented to take at most 5 s; closing the store needs the rest.
constexpr std::chrono::milliseconds kStopGrace{3'000};

// After a failed commit only answers that are already decided are sent.
constexpr std::chrono::milliseconds kFatalGrace{500};

struct ServeArguments {
  std::string data = "./cairn-data";
  std::string listen = "127.0.0.1:7878";
  LogFormat log_format = LogFormat::kText;
  std::string dedup_days = "7";
  api::SchemaPolicy schemas = api::SchemaPolicy::kRequired;
  ReadModelMode projections = ReadModelMode::kBuild;
  std::size_t projections_max = DaemonOptions{}.projections_max;
  AccessFiles access;
  std::vector<std::string> cors_origins;
  std::uint32_t request_cpu_ms = 2'000;
  std::uint32_t compatibility_cpu_ms = 10'000;
};

// As in StoreOptions: nullopt = for ever.
using DedupDays = std::optional<std::uint32_t>;

Result<DedupDays> parse_dedup_days(const std::string& text) {
  if (text == "forever") return DedupDays(std::nullopt);
  std::uint32_t days = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), days);
  if (error != std::errc() || end != text.data() + text.size() || days == 0) {
    return make_error(Errc::kInvalidArgument, "must be a number of days, at least 1, or 'forever'");
  }
  return DedupDays(days);
}

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

int run_serve(const ServeArguments& arguments, const std::string& version) {
  start_logging(arguments.log_format);
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

// CLI11 prints this after the option's name when a value is refused.
std::string check_dedup_days(const std::string& text) {
  const auto days = parse_dedup_days(text);
  return days ? "" : days.error().message;
}

std::string check_origin(const std::string& text) {
  const auto origin = api::parse_origin(text);
  return origin ? "" : origin.error().message;
}

std::string check_listen(const std::string& text) {
  const auto address = api::parse_listen_address(text);
  return address ? "" : address.error().message;
}

}  // namespace

void add_serve_command(CLI::App& app, const std::string& version, CommandAction& action) {
  CLI::App& command = *app.add_subcommand("serve", "Start a server on a data folder");
  command.footer(
      "\nCreates the folder if it does not exist. Shuts down cleanly on SIGTERM and Ctrl-C; on SIGHUP\n"
      "reads tokens and certificate again.\n"
      "\nExamples:\n"
      "  cairn serve\n"
      "  cairn serve --data /var/lib/cairn --listen 127.0.0.1:9000 --log-format json\n"
      "  cairn serve --listen 0.0.0.0:7878 --tokens tokens --tls-cert cert.pem --tls-key key.pem\n"
      "  cairn serve --projections read                        with a process of cairn project\n"
      "  curl http://127.0.0.1:7878/ready");
  auto arguments = std::make_shared<ServeArguments>();
  command.add_option("--data", arguments->data, "The data folder")->type_name("DIR")->capture_default_str();
  command.add_option("--listen", arguments->listen, "Where to listen; port 0 takes a free one")
      ->type_name("HOST:PORT")
      ->check(CLI::Validator(check_listen, ""))
      ->capture_default_str();
  add_log_format(command, arguments->log_format);
  command
      .add_option("--dedup-days", arguments->dedup_days,
                  "How long ids appended without an exact version are remembered: days, or 'forever'")
      ->type_name("DAYS")
      ->check(CLI::Validator(check_dedup_days, ""))
      ->capture_default_str();
  add_choice<api::SchemaPolicy>(
      command, "--schemas", arguments->schemas,
      "Events of a type without a schema: refused (required), or taken as free JSON (optional)",
      {{"required", api::SchemaPolicy::kRequired}, {"optional", api::SchemaPolicy::kOptional}})
      ->type_name("POLICY");
  add_choice<ReadModelMode>(
      command, "--projections", arguments->projections,
      "Read models: built and served (on), served while `cairn project` builds them (read), or left "
      "alone (off)",
      {{"on", ReadModelMode::kBuild}, {"read", ReadModelMode::kRead}, {"off", ReadModelMode::kOff}})
      ->type_name("MODE");
  command
      .add_option("--projections-max", arguments->projections_max,
                  "How many projections may be deployed; further ones are refused")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command
      .add_option("--tokens", arguments->access.tokens,
                  "The tokens of clients; required to listen on an address that other machines can reach")
      ->type_name("FILE");
  auto* certificate = command
                          .add_option("--tls-cert", arguments->access.tls_certificate,
                                      "Serve with TLS: the certificate chain (PEM)")
                          ->type_name("FILE");
  auto* key =
      command.add_option("--tls-key", arguments->access.tls_key, "Its private key (PEM)")->type_name("FILE");
  command
      .add_option("--cors-origin", arguments->cors_origins,
                  "Pages of this origin, like https://app.example, may use the server from a browser, "
                  "repeatable")
      ->type_name("ORIGIN")
      ->allow_extra_args(false)
      ->check(CLI::Validator(check_origin, ""));
  command
      .add_option("--request-cpu-ms", arguments->request_cpu_ms,
                  "Processor time that the answer to one request may take, in milliseconds")
      ->type_name("MS")
      ->check(CLI::Range(1u, 600'000u))
      ->capture_default_str();
  command
      .add_option("--compatibility-cpu-ms", arguments->compatibility_cpu_ms,
                  "The same for a request that compares a schema with registered ones")
      ->type_name("MS")
      ->check(CLI::Range(1u, 600'000u))
      ->capture_default_str();
  certificate->needs(key);
  key->needs(certificate);
  run_after_parsing(command, action, [arguments, version] { return run_serve(*arguments, version); });
}

}  // namespace cairn::cli
