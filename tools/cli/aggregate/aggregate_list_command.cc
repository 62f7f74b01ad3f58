#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/cli/aggregate/aggregate_commands.h"
#include "tools/cli/server/answer_output.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/number_text.h"

namespace cairn::cli {

namespace {

using nlohmann::json;

constexpr std::size_t kFingerprintShown = 12;

void print_list(const std::string& text) {
  const json aggregates = list_member(json::parse(text, nullptr, false), "aggregates");
  if (aggregates.empty()) {
    std::cerr << "No aggregate is deployed.\n";
    return;
  }
  std::vector<std::vector<std::string>> rows = {
      {"CATEGORY", "REVISION", "FINGERPRINT", "SNAPSHOT EVERY", "DEPLOYED"}};
  for (const json& aggregate : aggregates) {
    const std::uint64_t every = number_member(aggregate, "snapshotEvery");
    rows.push_back({text_member(aggregate, "category"), std::to_string(number_member(aggregate, "revision")),
                    text_member(aggregate, "fingerprint").substr(0, kFingerprintShown),
                    every == 0 ? "never" : counted(every, "event"), text_member(aggregate, "deployedAt")});
  }
  std::cout << table_text(rows);
}

int run_list(const ServerOptions& server) {
  auto client = make_client(server);
  if (!client) return report_usage(client.error().message);
  return report_answer(client->get("/aggregates"), server.json, print_list);
}

}  // namespace

void add_aggregate_list_command(CLI::App& aggregate, CommandAction& action) {
  CLI::App& command = *aggregate.add_subcommand("list", "Show all aggregates");
  command.footer("\nExamples:\n  cairn aggregate list\n  cairn aggregate list --json");
  auto server = std::make_shared<ServerOptions>();
  add_server_options(command, *server);
  run_after_parsing(command, action, [server] { return run_list(*server); });
}

}  // namespace cairn::cli
