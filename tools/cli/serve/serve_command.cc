#include "tools/cli/serve/serve_command.h"

#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "api/access/token_file.h"
#include "api/aggregates/aggregate_service.h"
#include "api/events/news_bell.h"
#include "api/metrics/metrics.h"
#include "api/net/http_server.h"
#include "api/projections/projection_service.h"
#include "api/registry/registry_service.h"
#include "api/server/routes.h"
#include "api/upcasters/deploy_service.h"
#include "eventstore/event_store.h"
#include "projections/aggregates/aggregate_states.h"
#include "projections/beside/read_only_daemon.h"
#include "projections/daemon/projection_daemon.h"
#include "tools/cli/serve/logging.h"
#include "tools/cli/server/stop_signal.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/number_text.h"
#include "upcasters/event_shapes.h"

namespace cairn::cli {

namespace {

// A stop is promised within 5 s; closing the store needs the rest.
constexpr std::chrono::milliseconds kStopGrace{3'000};

// After a failed commit only answers that are already known are still sent.
constexpr std::chrono::milliseconds kFatalGrace{500};

struct ServeArguments {
  std::string data = "./cairn-data";
  std::string listen = "127.0.0.1:7878";
  std::string log_format = "text";
  std::string dedup_days = "7";
  std::string schemas = "required";
  std::string projections = "on";
  std::string tokens;
  std::string tls_certificate;
  std::string tls_key;
};

// As StoreOptions has it: nullopt = for ever.
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

Result<std::unique_ptr<EventStore>> open_store(const ServeArguments& arguments, api::Metrics& metrics,
                                               StopSignal& stop) {
  StoreOptions options;
  CAIRN_TRY(options.dedup_window_days, parse_dedup_days(arguments.dedup_days));
  options.on_fatal = [&stop](std::string_view reason) { stop.report_fatal(reason); };
  options.on_commit = [&metrics](const CommitReport& report) { metrics.committed(report); };
  options.on_notice = [](std::string_view message) { spdlog::warn("{}", message); };

  const auto began = std::chrono::steady_clock::now();
  CAIRN_TRY(std::unique_ptr<EventStore> store, EventStore::open(arguments.data, std::move(options)));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  const StoreStats stats = store->stats();
  spdlog::info(
      "Opened store {} in {}: head {}, {} events recovered from the end of the log, log {}, in {:.2f} s",
      store->store_id(), arguments.data, store->head().value, stats.tail_events, byte_size(stats.log_bytes),
      took.count());
  return store;
}

// nullptr when they are turned off.
Result<std::unique_ptr<ProjectionDaemon>> open_projections(const ServeArguments& arguments, EventStore& store,
                                                           EventShapes& shapes, LuaHost::Log log) {
  if (arguments.projections == "off") return std::unique_ptr<ProjectionDaemon>();
  DaemonOptions options;
  options.on_notice = [](std::string_view message) { spdlog::warn("{}", message); };
  options.on_event = [](std::string_view message) { spdlog::info("{}", message); };
  options.log = std::move(log);
  if (arguments.projections == "read") {
    return open_read_only_daemon(store, shapes, arguments.data, std::move(options));
  }
  return ProjectionDaemon::open(store, shapes, arguments.data, std::move(options));
}

int serve_failed(const Error& error) {
  spdlog::error("Cannot start: {}", error.message);
  return kExitNo;
}

int folder_failed(const Error& error) {
  // What the system refused says nothing about what to do.
  spdlog::error("Cannot start: {}{}", error.message,
                error.code == Errc::kIo ? "; --data names another folder" : "");
  return kExitNo;
}

// Who may come in, and by which door. Fails when the files say nothing useful.
Result<api::ServerOptions> server_options(const ServeArguments& arguments, api::Metrics& metrics) {
  api::ServerOptions options;
  CAIRN_TRY(options.address, api::parse_listen_address(arguments.listen));
  options.observer = &metrics;
  if (!arguments.tokens.empty()) {
    CAIRN_TRY(auto tokens, api::read_token_file(arguments.tokens));
    spdlog::info("{} tokens read from {}", tokens.size(), arguments.tokens);
    if (api::is_open_to_others(arguments.tokens)) {
      spdlog::warn("{} can be read by others than its owner; chmod 600 would end that.", arguments.tokens);
    }
    options.tokens.emplace(std::move(tokens));
  }
  if (!arguments.tls_certificate.empty()) {
    CAIRN_TRY(options.tls, api::TlsContext::load({arguments.tls_certificate, arguments.tls_key}));
  } else if (!api::check_reachable_only_from_here(options.address).ok() && options.tokens) {
    spdlog::warn(
        "{} is served without TLS: tokens and events can be read on the way. Give --tls-cert and "
        "--tls-key, or stand behind a proxy that has them.",
        options.address.to_string());
  }
  return options;
}

int run_serve(const ServeArguments& arguments, const std::string& version) {
  start_logging(arguments.log_format == "json" ? LogFormat::kJson : LogFormat::kText);
  ::umask(077);  // What is stored is nobody else's to read.
  std::signal(SIGPIPE, SIG_IGN);
  allow_many_connections();
  StopSignal stop;

  // Listening comes first, so that /ready can say "not yet" while a large log is recovered.
  api::Metrics metrics;
  api::NewsBell bell;
  api::StoreSlot slot;
  auto options = server_options(arguments, metrics);
  if (!options) return serve_failed(options.error());
  const char* const scheme = options->tls ? "https://" : "http://";
  auto server = api::HttpServer::start(
      *std::move(options),
      api::Router(api::all_routes({.store = slot,
                                   .news = bell,
                                   .metrics = metrics,
                                   .schemas = arguments.schemas == "optional" ? api::SchemaPolicy::kOptional
                                                                              : api::SchemaPolicy::kRequired,
                                   .version = version})));
  if (!server) return serve_failed(server.error());

  auto store = open_store(arguments, metrics, stop);
  if (!store) return folder_failed(store.error());
  auto registry = api::RegistryService::open(**store);
  if (!registry) return serve_failed(registry.error());
  const auto log_script = [](std::string_view text) { spdlog::info("script: {}", text); };
  auto shapes = EventShapes::open(**store, (*registry)->registry(), log_script);
  if (!shapes) return serve_failed(shapes.error());
  auto states = AggregateStates::open(**store, **shapes, {.log = log_script});
  if (!states) return serve_failed(states.error());
  auto daemon = open_projections(arguments, **store, **shapes, log_script);
  if (!daemon) return serve_failed(daemon.error());
  api::DeployService deployments(**shapes, metrics);
  api::AggregateService aggregates(**states);
  std::optional<api::ProjectionService> projections;
  if (*daemon) {
    projections.emplace(**daemon);
    (*daemon)->start();
  }
  bell.start(**store);
  slot.set(**store, (*registry)->registry(), **registry, **shapes, deployments, aggregates,
           projections ? &*projections : nullptr);
  std::cout << "cairn " << version << " serving " << arguments.data << " on " << scheme
            << (*server)->address().to_string() << std::endl;

  const StopReason reason = stop.wait();
  if (reason.fatal) {
    spdlog::critical("The store cannot go on: {}. Exiting; start again to recover.", reason.text);
    (*server)->stop(kFatalGrace);
    std::_Exit(kExitNo);  // Closing the store in order is just what is no longer possible.
  }
  spdlog::info("{} received, stopping", reason.text);
  deployments.stop();  // First: whoever waits for one is still told that it was given up.
  aggregates.stop();
  if (projections) projections->stop();
  (*server)->stop(kStopGrace);
  bell.stop();
  // What the store still has to answer may ask the registry's thread for more; it is told that there is none.
  (*registry)->worker().stop();
  (*daemon).reset();  // What was not committed is done again at the next start.
  (*states).reset();  // While the store still takes the snapshots that wait to be written.
  (*store).reset();   // Before the server: the store may still hold answers to its requests.
  (*shapes).reset();
  (*registry).reset();
  spdlog::info("Stopped");
  return kExitOk;
}

// What CLI11 shows after the option's name when a value is refused.
std::string check_dedup_days(const std::string& text) {
  const auto days = parse_dedup_days(text);
  return days ? "" : days.error().message;
}

std::string check_listen(const std::string& text) {
  const auto address = api::parse_listen_address(text);
  return address ? "" : address.error().message;
}

}  // namespace

void add_serve_command(CLI::App& app, const std::string& version, int& exit_code) {
  CLI::App& command = *app.add_subcommand("serve", "Start a server on a data folder");
  command.footer(
      "\nMakes the folder when it is not there. Stops in order on SIGTERM and Ctrl-C.\n"
      "\nExamples:\n"
      "  cairn serve\n"
      "  cairn serve --data /var/lib/cairn --listen 127.0.0.1:9000 --log-format json\n"
      "  cairn serve --listen 0.0.0.0:7878 --tokens tokens --tls-cert cert.pem --tls-key key.pem\n"
      "  cairn serve --projections read                        and beside it: cairn project\n"
      "  curl http://127.0.0.1:7878/ready");
  auto arguments = std::make_shared<ServeArguments>();
  command.add_option("--data", arguments->data, "The data folder")->type_name("DIR")->capture_default_str();
  command.add_option("--listen", arguments->listen, "Where to listen; port 0 takes a free one")
      ->type_name("HOST:PORT")
      ->check(CLI::Validator(check_listen, ""))
      ->capture_default_str();
  command.add_option("--log-format", arguments->log_format, "How log lines look: text or json")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command
      .add_option("--dedup-days", arguments->dedup_days,
                  "How long ids appended without an exact version are remembered: days, or 'forever'")
      ->type_name("DAYS")
      ->check(CLI::Validator(check_dedup_days, ""))
      ->capture_default_str();
  command
      .add_option("--schemas", arguments->schemas,
                  "Events of a type without a schema: refused (required), or taken as free JSON (optional)")
      ->type_name("POLICY")
      ->check(CLI::IsMember({"required", "optional"}))
      ->capture_default_str();
  command
      .add_option(
          "--projections", arguments->projections,
          "Read models: built and served (on), served while `cairn project` builds them (read), or left "
          "alone (off)")
      ->type_name("MODE")
      ->check(CLI::IsMember({"on", "read", "off"}))
      ->capture_default_str();
  command
      .add_option("--tokens", arguments->tokens,
                  "Who may come in; needed to listen on an address that other machines reach")
      ->type_name("FILE");
  auto* certificate =
      command
          .add_option("--tls-cert", arguments->tls_certificate, "Serve with TLS: the certificate chain (PEM)")
          ->type_name("FILE");
  auto* key = command.add_option("--tls-key", arguments->tls_key, "Its private key (PEM)")->type_name("FILE");
  certificate->needs(key);
  key->needs(certificate);
  command.callback([arguments, version, &exit_code] { exit_code = run_serve(*arguments, version); });
}

}  // namespace cairn::cli
