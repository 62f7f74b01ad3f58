#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "api/client/server_url.h"
#include "tools/cli/aggregate/aggregate_commands.h"
#include "tools/cli/server/answer_output.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/json_member.h"

namespace cairn::cli {

namespace {

using nlohmann::json;

struct ShowArguments {
  ServerOptions server;
  std::string category;
};

// Only the source goes to stdout, so that it can be redirected into a file.
void print_source(const std::string& text) {
  const json aggregate = json::parse(text, nullptr, false);
  std::cerr << on_one_line(text_member(aggregate, "category")) << ", revision "
            << number_member(aggregate, "revision") << ", fingerprint "
            << on_one_line(text_member(aggregate, "fingerprint")) << ", deployed "
            << on_one_line(text_member(aggregate, "deployedAt")) << std::endl;
  print_line(text_member(aggregate, "source"));
}

int run_show(const ShowArguments& arguments) {
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  return report_answer(client->get("/aggregates/" + api::percent_encoded(arguments.category)),
                       arguments.server.json, print_source);
}

}  // namespace

void add_aggregate_show_command(CLI::App& aggregate, CommandAction& action) {
  CLI::App& command = *aggregate.add_subcommand("show", "Print the source of a category's aggregate");
  command.footer(
      "\nExamples:\n"
      "  cairn aggregate show order\n"
      "  cairn aggregate show order > order.lua");
  auto arguments = std::make_shared<ShowArguments>();
  command.add_option("category", arguments->category, "The category of the streams")
      ->type_name("CATEGORY")
      ->required();
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run_show(*arguments); });
}

}  // namespace cairn::cli
