#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/access/token_file.h"
#include "api/net/listen_address.h"
#include "api/net/tls.h"
#include "eventstore/base/file.h"
#include "tools/cli/config/configuration.h"
#include "tools/cli/serve/serve_commands.h"
#include "tools/cli/serve/serve_options.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/number_text.h"

namespace cairn::cli {

namespace {

using nlohmann::ordered_json;

constexpr std::string_view kMask = "********";

struct ConfigArguments {
  ServeArguments serve;
  bool json = false;
};

// The configuration of `cairn serve` with the options of `command`, by a parser of its own: that of `command`
// knows only its command line.
class ServeConfiguration {
 public:
  ServeConfiguration(const CLI::App& command, const std::string& version) {
    program_.name("cairn");
    add_serve_options(*program_.add_subcommand("serve"), arguments_);
    add_project_command(program_, version, ignored_);
    std::vector<std::string> words = {"serve"};
    const CLI::Option* const file = command.get_option("--config");
    if (file->count() > 0) words.push_back("--config=" + file->results().back());
    for (const Setting& setting : settings_of(command)) {
      if (setting.name == "json" || setting.option->count() == 0) continue;
      const std::vector<std::string> more = words_for(setting, setting.option->results());
      words.insert(words.end(), more.begin(), more.end());
    }
    configuration_ = parse_configured(program_, words);
  }

  const Configuration& operator*() const { return configuration_; }
  const Configuration* operator->() const { return &configuration_; }

  // nullptr for a name that is no setting of serve.
  const ConfiguredSetting* find(std::string_view name) const {
    for (const ConfiguredSetting& configured : configuration_.settings) {
      if (configured.setting.name == name) return &configured;
    }
    return nullptr;
  }

  // The value in force, also when it is not valid; "" when there is none.
  std::string value_of(std::string_view name) const {
    const ConfiguredSetting* const configured = find(name);
    return configured == nullptr || configured->values.empty() ? "" : configured->values.front();
  }

  // For a message about the value: "cairn.toml:7: tokens", "CAIRN_TOKENS", "--tokens".
  std::string place_of(std::string_view name) const {
    const ConfiguredSetting* const configured = find(name);
    if (configured == nullptr) return std::string(name);
    if (configured->source == ValueSource::kFile) return fmt::format("{}: {}", configured->place, name);
    return configured->source == ValueSource::kEnvironment ? configured->place : fmt::format("--{}", name);
  }

  std::size_t count(ValueSource source) const {
    return static_cast<std::size_t>(
        std::count_if(configuration_.settings.begin(), configuration_.settings.end(),
                      [&](const ConfiguredSetting& configured) { return configured.source == source; }));
  }

 private:
  ServeArguments arguments_;
  CommandAction ignored_;
  CLI::App program_;  // The settings refer to it.
  Configuration configuration_;
};

struct Findings {
  std::vector<std::string> problems;
  std::vector<std::string> warnings;
};

void check_tokens(const ServeConfiguration& configuration, Findings& findings) {
  const std::string file = configuration.value_of("tokens");
  const std::string place = configuration.place_of("tokens");
  const std::string listen = configuration.value_of("listen");
  if (file.empty()) {
    const auto address = api::parse_listen_address(listen);
    if (!address) return;
    if (const Status local = api::check_loopback(*address); !local.ok()) {
      findings.problems.push_back(configuration.place_of("listen") + ": " + local.error().message);
    }
    return;
  }
  const auto tokens = api::read_token_file(file);
  if (!tokens) {
    findings.problems.push_back(place + ": " + tokens.error().message);
    return;
  }
  if (tokens->empty()) findings.warnings.push_back(place + ": " + file + " has no token");
  if (api::is_open_to_others(file)) {
    findings.warnings.push_back(place + ": " + file +
                                " can be read by other users; chmod 600 restricts it to its owner");
  }
}

bool check_readable(const ServeConfiguration& configuration, const std::string& name, const std::string& file,
                    Findings& findings) {
  const auto text = read_file(file);
  if (!text) findings.problems.push_back(configuration.place_of(name) + ": " + text.error().message);
  return text.ok();
}

void check_certificate(const ServeConfiguration& configuration, Findings& findings) {
  const std::string certificate = configuration.value_of("tls-cert");
  const std::string key = configuration.value_of("tls-key");
  bool are_there = true;
  for (const char* const name : {"tls-cert", "tls-key"}) {
    const std::string file = configuration.value_of(name);
    if (!file.empty()) are_there &= check_readable(configuration, name, file, findings);
  }
  if (certificate.empty() || key.empty() || !are_there) return;
  if (const auto loaded = api::TlsContext::load({certificate, key}); !loaded) {
    findings.problems.push_back(configuration.place_of("tls-cert") + ": " + loaded.error().message);
  }
}

Findings findings_of(CLI::App& app, const ServeConfiguration& configuration) {
  Findings findings;
  for (const std::string& problem : configuration->problems) {
    findings.problems.push_back(problem.substr(0, problem.find('\n')));  // Without the hint at --help.
  }
  findings.warnings = unknown_variables(app);
  check_tokens(configuration, findings);
  check_certificate(configuration, findings);
  return findings;
}

ordered_json json_value(const Setting& setting, const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, number);
  const bool is_number = !text.empty() && error == std::errc() && read == end;
  switch (setting.kind) {
    case SettingKind::kSwitch:
      return switch_value(text).value_or(false);
    case SettingKind::kNumber:
    case SettingKind::kTextOrNumber:
      if (is_number) return number;
      return text;
    case SettingKind::kText:
    case SettingKind::kList:
      return text;
  }
  return text;
}

ordered_json to_json(const ConfiguredSetting& configured) {
  ordered_json value;
  if (configured.setting.kind == SettingKind::kList) {
    value = ordered_json::array();
    for (const std::string& item : configured.values) value.push_back(item);
  } else if (!configured.values.empty()) {
    value = configured.setting.is_secret ? ordered_json(kMask)
                                         : json_value(configured.setting, configured.values.front());
  }
  return {{"name", configured.setting.name},
          {"value", std::move(value)},
          {"source", to_string(configured.source)},
          {"place", configured.place}};
}

std::string value_text(const ConfiguredSetting& configured) {
  if (configured.values.empty()) return "-";
  if (configured.setting.is_secret) return std::string(kMask);
  return fmt::format("{}", fmt::join(configured.values, ","));
}

ordered_json with_findings(ordered_json json, const Findings& findings) {
  json["problems"] = findings.problems;
  json["warnings"] = findings.warnings;
  return json;
}

void print_findings(const Findings& findings) {
  for (const std::string& warning : findings.warnings) std::cerr << "cairn: warning: " << warning << '\n';
  for (const std::string& problem : findings.problems) std::cerr << "cairn: " << problem << '\n';
}

void print_json(const ordered_json& json) {
  std::cout << json.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

ordered_json file_json(const ServeConfiguration& configuration) {
  return configuration->file.empty() ? ordered_json() : ordered_json(configuration->file);
}

int run_show(CLI::App& app, const CLI::App& command, const std::string& version, bool json) {
  const ServeConfiguration configuration(command, version);
  const Findings findings{configuration->problems, unknown_variables(app)};
  if (json) {
    ordered_json settings = ordered_json::array();
    for (const ConfiguredSetting& configured : configuration->settings) {
      settings.push_back(to_json(configured));
    }
    print_json(
        with_findings({{"config", file_json(configuration)}, {"settings", std::move(settings)}}, findings));
  } else {
    std::vector<std::vector<std::string>> rows = {{"NAME", "VALUE", "FROM"}};
    for (const ConfiguredSetting& configured : configuration->settings) {
      rows.push_back({configured.setting.name, value_text(configured), configured.place});
    }
    std::cout << table_text(rows) << std::flush;
    print_findings(findings);
  }
  return findings.problems.empty() ? kExitOk : kExitNo;
}

int run_check(CLI::App& app, const CLI::App& command, const std::string& version, bool json) {
  const ServeConfiguration configuration(command, version);
  const Findings findings = findings_of(app, configuration);
  const bool is_valid = findings.problems.empty();
  if (json) {
    print_json(with_findings({{"config", file_json(configuration)}, {"valid", is_valid}}, findings));
    return is_valid ? kExitOk : kExitNo;
  }
  print_findings(findings);
  if (!is_valid) return kExitNo;
  std::cout << "The configuration is valid: " << counted(configuration.count(ValueSource::kFile), "value")
            << " from the file, " << configuration.count(ValueSource::kEnvironment)
            << " from the environment, " << configuration.count(ValueSource::kFlag)
            << " from the command line.\n";
  return kExitOk;
}

// Which option needs which other one is checked for `cairn serve`, which also knows the other sources.
void forget_needs(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    const std::set<CLI::Option*> needs = option->get_needs();
    for (CLI::Option* needed : needs) option->remove_needs(needed);
  }
}

void add_options(CLI::App& command, ConfigArguments& arguments) {
  add_serve_options(command, arguments.serve);
  forget_needs(command);
  command.add_flag("--json", arguments.json, "Print JSON");
}

}  // namespace

void add_config_commands(CLI::App& app, const std::string& version, CommandAction& action) {
  CLI::App& config = *app.add_subcommand("config", "Show and check the configuration of a server");
  config.require_subcommand(1);
  config.footer(
      "\nExamples:\n"
      "  cairn config show --config /etc/cairn/cairn.toml\n"
      "  cairn config check --config /etc/cairn/cairn.toml");
  auto arguments = std::make_shared<ConfigArguments>();

  CLI::App& show = *config.add_subcommand("show", "Print all values, and where each of them comes from");
  show.footer(
      "\nTakes the options of cairn serve, and prints what it would use: of the command line (flag), a\n"
      "variable, a line of the file, or the default. Exit code 1 when a value is not valid.\n"
      "\nExamples:\n"
      "  cairn config show\n"
      "  cairn config show --config /etc/cairn/cairn.toml --json\n"
      "  CAIRN_LISTEN=127.0.0.1:9000 cairn config show --projections read");
  add_options(show, *arguments);
  run_after_parsing(show, action, [&app, &show, arguments, version] {
    return run_show(app, show, version, arguments->json);
  });

  CLI::App& check = *config.add_subcommand("check", "Check file, environment, and the files they name");
  check.footer(
      "\nReads the tokens, the certificate and its key, too, as the current user. Prints every problem; "
      "exit\n"
      "code 1 when there is one. Takes the options of cairn serve.\n"
      "\nExamples:\n"
      "  cairn config check --config /etc/cairn/cairn.toml\n"
      "  sudo -u cairn cairn config check --config /etc/cairn/cairn.toml && sudo systemctl restart cairn");
  add_options(check, *arguments);
  run_after_parsing(check, action, [&app, &check, arguments, version] {
    return run_check(app, check, version, arguments->json);
  });
}

}  // namespace cairn::cli
