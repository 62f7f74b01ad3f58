#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "api/client/server_url.h"
#include "tools/cli/doctor/doctor_check.h"
#include "tools/cli/doctor/doctor_commands.h"
#include "tools/cli/doctor/folder_checks.h"
#include "tools/cli/doctor/folder_facts.h"
#include "tools/cli/doctor/server_checks.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/terminal.h"

namespace cairn::cli {

namespace {

struct DoctorArguments {
  std::string data = "./cairn-data";
  bool data_is_given = false;  // on the command line; the variable is for all commands
  ServerOptions server;        // its url is empty: the folder is checked
};

int print_checks(const std::string& key, const std::string& subject, const std::vector<Check>& checks,
                 bool json) {
  std::cout << (json ? checks_json(key, subject, checks)
                     : checks_text(subject, checks, wants_colour(STDOUT_FILENO)));
  return is_sound(checks) ? kExitOk : kExitNo;
}

int run_doctor(const DoctorArguments& arguments, const std::string& version) {
  if (arguments.server.url.empty()) {
    const FolderFacts facts = gather_folder_facts(arguments.data, version);
    return print_checks("folder", arguments.data, folder_checks(facts), arguments.server.json);
  }
  if (arguments.data_is_given) return report_usage("give a URL or --data, not both");
  if (const auto url = api::parse_server_url(arguments.server.url); !url)
    return report_usage(url.error().message);
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  const auto facts = gather_server_facts(*client, version);
  if (!facts) return report_unreachable(facts.error());
  return print_checks("url", arguments.server.url, server_checks(*facts), arguments.server.json);
}

}  // namespace

void add_doctor_command(CLI::App& app, const std::string& version, CommandAction& action) {
  CLI::App& command =
      *app.add_subcommand("doctor", "Check a data folder, its disk and its machine, or a running server");
  command.footer(
      "\nChecks a data folder, or where it will be: owner and permissions, file system, durability, space "
      "and\n"
      "growth, how long a sync takes, limits, memory, the clock, versions, the newest blocks and the lock. "
      "Changes\n"
      "nothing, and may run beside a server. With a URL it asks a server: its certificate, clock, version, "
      "and\n"
      "what needs attention. The exit code is 1 when a check has failed, 3 when no server answers.\n"
      "`cairn verify` reads the whole log.\n"
      "\nExamples:\n"
      "  cairn doctor --data /var/lib/cairn\n"
      "  cairn doctor --data /var/lib/cairn --json | jq .sound\n"
      "  cairn doctor https://cairn.example:7878 --token-file token");
  auto arguments = std::make_shared<DoctorArguments>();
  auto* url = command.add_option("url", arguments->server.url, "A server to check instead of a folder");
  url->type_name("URL");
  auto* data = command.add_option("--data", arguments->data, "The data folder");
  data->type_name("DIR")->envname("CAIRN_DATA")->capture_default_str();
  command
      .add_option("--token-file", arguments->server.token_file,
                  "With a URL: a file with the token; without it the variable CAIRN_TOKEN is used, or the "
                  "file that CAIRN_TOKEN_FILE names")
      ->type_name("FILE")
      ->needs(url);
  command.add_option("--ca-file", arguments->server.ca_file, "With a URL: trust these certificates (PEM)")
      ->type_name("FILE")
      ->envname("CAIRN_CA_FILE");
  command.add_flag("--json", arguments->server.json, "Print JSON");
  arguments->server.url.clear();
  run_after_parsing(command, action, [arguments, version, data] {
    const char* const variable = std::getenv("CAIRN_DATA");
    arguments->data_is_given = data->count() > 0 && (variable == nullptr || arguments->data != variable);
    return run_doctor(*arguments, version);
  });
}

}  // namespace cairn::cli
