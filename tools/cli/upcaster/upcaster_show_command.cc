#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

#include "tools/cli/server/answer_output.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/upcaster/installed_upcaster.h"
#include "tools/cli/upcaster/upcaster_commands.h"

namespace cairn::cli {

namespace {

struct ShowArguments {
  ServerOptions server;
  std::string type;
  std::uint32_t from = 0;  // 0 = all
};

int report_none(const ShowArguments& arguments) {
  std::cerr << "cairn: there is no upcaster for '" << on_one_line(arguments.type) << "'";
  if (arguments.from > 0) std::cerr << " that leads from version " << arguments.from;
  std::cerr << '\n';
  return kExitNo;
}

// Only the source goes to stdout, so that it can be redirected into a file.
void print_source(const InstalledUpcaster& upcaster) {
  std::cerr << on_one_line(upcaster.type) << ' ' << upcaster.from << " → " << upcaster.to << ", revision "
            << upcaster.revision << ", fingerprint " << on_one_line(upcaster.fingerprint) << ", installed "
            << on_one_line(upcaster.installed_at) << std::endl;
  print_line(upcaster.source);
  std::cout << std::flush;
}

int run_show(const ShowArguments& arguments) {
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  const auto installed = installed_upcasters(*client, arguments.type);
  if (!installed) return report_failure(installed.error());
  if (!*installed) return report_none(arguments);
  if (arguments.server.json && arguments.from == 0) {
    print_line((*installed)->json);
    return kExitOk;
  }
  bool found = false;
  for (const InstalledUpcaster& upcaster : (*installed)->upcasters) {
    if (arguments.from != 0 && upcaster.from != arguments.from) continue;
    found = true;
    if (arguments.server.json) {
      print_line(upcaster.json);
    } else {
      print_source(upcaster);
    }
  }
  return found ? kExitOk : report_none(arguments);
}

}  // namespace

void add_upcaster_show_command(CLI::App& upcaster, CommandAction& action) {
  CLI::App& command = *upcaster.add_subcommand("show", "Print the sources of a type's upcasters");
  command.footer(
      "\nExamples:\n"
      "  cairn upcaster show OrderPlaced\n"
      "  cairn upcaster show OrderPlaced 1 > schemas/OrderPlaced/1-2.lua");
  auto arguments = std::make_shared<ShowArguments>();
  command.add_option("type", arguments->type, "The type of the events")->type_name("TYPE")->required();
  command.add_option("from", arguments->from, "Only the one that leads from this version")
      ->type_name("FROM")
      ->check(CLI::PositiveNumber);
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run_show(*arguments); });
}

}  // namespace cairn::cli
