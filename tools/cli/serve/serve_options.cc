#include "tools/cli/serve/serve_options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <system_error>

#include "api/http/browser_origins.h"
#include "api/net/listen_address.h"
#include "tools/cli/config/setting.h"
#include "tools/cli/text/choice_option.h"
#include "tools/cli/text/folder_argument.h"

namespace cairn::cli {

namespace {

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

Result<DedupDays> parse_dedup_days(const std::string& text) {
  if (text == "forever") return DedupDays(std::nullopt);
  std::uint32_t days = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), days);
  if (error != std::errc() || end != text.data() + text.size() || days == 0) {
    return make_error(Errc::kInvalidArgument, "must be a number of days, at least 1, or 'forever'");
  }
  return DedupDays(days);
}

void add_serve_options(CLI::App& command, ServeArguments& arguments) {
  add_config_option(command, arguments.config);
  command.add_option("--data", arguments.data, "The data folder")
      ->type_name("DIR")
      ->check(CLI::Validator(check_folder_name, ""))
      ->capture_default_str();
  command.add_option("--listen", arguments.listen, "Where to listen; port 0 takes a free one")
      ->type_name("HOST:PORT")
      ->check(CLI::Validator(check_listen, ""))
      ->capture_default_str();
  add_log_options(command, arguments.log);
  command
      .add_option("--access-log", arguments.access_log,
                  "A line for each request, appended to this file; - = to the log itself. Not given: none")
      ->type_name("FILE");
  command
      .add_option("--dedup-days", arguments.dedup_days,
                  "How long ids appended without an exact version are remembered: days, or 'forever'")
      ->type_name("DAYS")
      ->check(CLI::Validator(check_dedup_days, ""))
      ->capture_default_str();
  add_choice<api::SchemaPolicy>(
      command, "--schemas", arguments.schemas,
      "Events of a type without a schema: refused (required), or taken as free JSON (optional)",
      {{"required", api::SchemaPolicy::kRequired}, {"optional", api::SchemaPolicy::kOptional}})
      ->type_name("POLICY");
  add_choice<ReadModelMode>(
      command, "--projections", arguments.projections,
      "Read models: built and served (on), served while `cairn project` builds them (read), or left "
      "alone (off)",
      {{"on", ReadModelMode::kBuild}, {"read", ReadModelMode::kRead}, {"off", ReadModelMode::kOff}})
      ->type_name("MODE");
  command
      .add_option("--projections-max", arguments.projections_max,
                  "How many projections may be deployed; further ones are refused")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command
      .add_option("--tokens", arguments.access.tokens,
                  "The tokens of clients; required to listen on an address that other machines can reach")
      ->type_name("FILE");
  auto* certificate = command
                          .add_option("--tls-cert", arguments.access.tls_certificate,
                                      "Serve with TLS: the certificate chain (PEM)")
                          ->type_name("FILE");
  auto* key =
      command.add_option("--tls-key", arguments.access.tls_key, "Its private key (PEM)")->type_name("FILE");
  command
      .add_option("--cors-origin", arguments.cors_origins,
                  "Pages of this origin, like https://app.example, may use the server from a browser, "
                  "repeatable")
      ->type_name("ORIGIN")
      ->allow_extra_args(false)
      ->check(CLI::Validator(check_origin, ""));
  command
      .add_option("--request-cpu-ms", arguments.request_cpu_ms,
                  "Processor time that the answer to one request may take, in milliseconds")
      ->type_name("MS")
      ->check(CLI::Range(1u, 600'000u))
      ->capture_default_str();
  command
      .add_option("--compatibility-cpu-ms", arguments.compatibility_cpu_ms,
                  "The same for a request that compares a schema with registered ones")
      ->type_name("MS")
      ->check(CLI::Range(1u, 600'000u))
      ->capture_default_str();
  certificate->needs(key);
  key->needs(certificate);
}

}  // namespace cairn::cli
