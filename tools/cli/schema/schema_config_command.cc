#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "schemaregistry/compatibility/compatibility_level.h"
#include "tools/cli/schema/level_names.h"
#include "tools/cli/schema/registry_client.h"
#include "tools/cli/schema/schema_commands.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"

namespace cairn::cli {

namespace {

using nlohmann::ordered_json;

constexpr char kBackToGlobal[] = "DEFAULT";

struct ConfigArguments {
  ServerOptions server;
  std::string subject;
  std::string level;
  std::string global;
};

int print(const ConfigArguments& arguments, const std::string& subject, const std::string& level,
          bool is_own) {
  if (arguments.server.json) {
    ordered_json json = {{"subject", subject.empty() ? ordered_json() : ordered_json(subject)},
                         {"level", level}};
    if (!subject.empty()) json["own"] = is_own;
    std::cout << json.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
  } else if (subject.empty()) {
    std::cout << level << '\n';
  } else {
    std::cout << on_one_line(subject) << ": " << level
              << (is_own ? "" : " (as all that have none of their own)") << '\n';
  }
  return kExitOk;
}

int show_level(const ConfigArguments& arguments, RegistryClient& registry) {
  std::optional<std::string> own;
  if (!arguments.subject.empty()) {
    auto found = registry.own_level(arguments.subject);
    if (!found) return report_failure(found.error());
    own = *std::move(found);
  }
  const auto level = own ? Result<std::string>(*own) : registry.level("");
  if (!level) return report_failure(level.error());
  if (!own && parse_compatibility_level(arguments.subject)) {
    std::cerr << "note: this shows the subject " << arguments.subject
              << "; to set the level of all: cairn schema config --global " << arguments.subject << '\n';
  }
  return print(arguments, arguments.subject, *level, own.has_value());
}

int run_config(const ConfigArguments& arguments) {
  if (!arguments.global.empty() && !arguments.subject.empty()) {
    return report_usage("--global is for all subjects; leave out SUBJECT");
  }
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  RegistryClient registry(*client);
  const std::string& level = arguments.global.empty() ? arguments.level : arguments.global;
  if (!level.empty()) {
    const Status done = level == kBackToGlobal ? registry.reset_level(arguments.subject)
                                               : registry.set_level(arguments.subject, level);
    if (!done) return report_failure(done.error());
  }
  return show_level(arguments, registry);
}

CLI::Validator level_or_default() {
  std::vector<std::string> names = level_names();
  names.emplace_back(kBackToGlobal);
  return CLI::IsMember(names, CLI::ignore_case);
}

}  // namespace

void add_schema_config_command(CLI::App& schema, CommandAction& action) {
  CLI::App& command = *schema.add_subcommand("config", "Show or set compatibility levels");
  command.footer(
      "\nBACKWARD: a new schema reads data of the previous one. FORWARD: the previous schema reads data of "
      "the new\n"
      "one. FULL: both. _TRANSITIVE: the same with all previous versions. NONE: no check. DEFAULT removes "
      "the\n"
      "subject's own level.\n"
      "\nExamples:\n"
      "  cairn schema config                        the level of subjects without their own\n"
      "  cairn schema config --global FULL\n"
      "  cairn schema config OrderPlaced FULL_TRANSITIVE");
  auto arguments = std::make_shared<ConfigArguments>();
  command.add_option("subject", arguments->subject, "The subject; without it, the default level")
      ->type_name("SUBJECT");
  command.add_option("level", arguments->level, "The level to set")
      ->type_name("LEVEL")
      ->check(level_or_default());
  command.add_option("--global", arguments->global, "Set the level of subjects without their own")
      ->type_name("LEVEL")
      ->check(level_or_default());
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run_config(*arguments); });
}

}  // namespace cairn::cli
