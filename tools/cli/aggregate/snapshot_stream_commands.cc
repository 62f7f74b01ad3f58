#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/client/server_url.h"
#include "tools/cli/aggregate/aggregate_commands.h"
#include "tools/cli/schema/pretty_json.h"
#include "tools/cli/server/answer_output.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/number_text.h"

namespace cairn::cli {

namespace {

using nlohmann::json;

struct StreamArguments {
  ServerOptions server;
  std::string stream;
  std::uint64_t keep = 0;

  std::string path(const char* last) const { return "/streams/" + api::percent_encoded(stream) + "/" + last; }
};

void print_snapshot(const std::string& text) {
  const json snapshot = json::parse(text, nullptr, false);
  std::cerr << on_one_line(text_member(snapshot, "stream")) << ": the snapshot at version "
            << number_member(snapshot, "version") << ", " << byte_size(number_member(snapshot, "bytes"))
            << ", fingerprint " << on_one_line(text_member(snapshot, "fingerprint")) << std::endl;
  if (const std::string state = raw_member(text, "state"); !state.empty())
    std::cout << pretty_json(state) << '\n';
}

std::string reason_text(const std::string& reason) {
  if (reason == "aggregate") return "another aggregate made it";
  if (reason == "shapes") return "upcasters or schemas have changed";
  return reason;
}

void print_snapshots(const std::string& text) {
  const json snapshots = list_member(json::parse(text, nullptr, false), "snapshots");
  if (snapshots.empty()) {
    std::cerr << "There is no snapshot of this stream.\n";
    return;
  }
  std::vector<std::vector<std::string>> rows = {{"VERSION", "BYTES", "USABLE"}};
  for (const json& snapshot : snapshots) {
    rows.push_back(
        {std::to_string(number_member(snapshot, "version")), grouped(number_member(snapshot, "bytes")),
         is_true(snapshot, "usable") ? "yes" : "no: " + reason_text(text_member(snapshot, "reason"))});
  }
  std::cout << table_text(rows);
}

void print_removed(const std::string& text) {
  const std::uint64_t removed = number_member(json::parse(text, nullptr, false), "removed");
  std::cout << counted(removed, "snapshot") << " removed\n";
}

// The common arguments of the three commands.
std::shared_ptr<StreamArguments> add_arguments(CLI::App& command) {
  auto arguments = std::make_shared<StreamArguments>();
  command.add_option("stream", arguments->stream, "The stream")->type_name("STREAM")->required();
  add_server_options(command, arguments->server);
  return arguments;
}

using Ask = std::function<Result<api::Answer>(api::Client&, const StreamArguments&)>;
using Print = void (*)(const std::string&);

void run_on(CLI::App& command, const std::shared_ptr<StreamArguments>& arguments, const Ask& ask, Print print,
            CommandAction& action) {
  run_after_parsing(command, action, [arguments, ask, print] {
    auto client = make_client(arguments->server);
    return client ? report_answer(ask(*client, *arguments), arguments->server.json, print)
                  : report_usage(client.error().message);
  });
}

}  // namespace

void add_snapshot_show_command(CLI::App& snapshot, CommandAction& action) {
  CLI::App& command = *snapshot.add_subcommand("show", "Print the newest snapshot that can be used");
  command.footer("\nExamples:\n  cairn snapshot show order-42\n  cairn snapshot show order-42 --json");
  const auto ask = [](api::Client& client, const StreamArguments& arguments) {
    return client.get(arguments.path("snapshot"));
  };
  run_on(command, add_arguments(command), ask, &print_snapshot, action);
}

void add_snapshot_list_command(CLI::App& snapshot, CommandAction& action) {
  CLI::App& command = *snapshot.add_subcommand("list", "Show all snapshots of a stream");
  command.footer(
      "\nOnes that cannot be used were made by another aggregate, upcaster or schema, or are damaged.\n"
      "\nExamples:\n  cairn snapshot list order-42\n  cairn snapshot list order-42 --json");
  const auto ask = [](api::Client& client, const StreamArguments& arguments) {
    return client.get(arguments.path("snapshots"));
  };
  run_on(command, add_arguments(command), ask, &print_snapshots, action);
}

void add_snapshot_prune_command(CLI::App& snapshot, CommandAction& action) {
  CLI::App& command = *snapshot.add_subcommand("prune", "Remove all but the newest snapshots of a stream");
  command.footer(
      "\nNothing is lost: states are folded from the events when there is no snapshot.\n"
      "\nExamples:\n  cairn snapshot prune order-42 --keep 1\n  cairn snapshot prune order-42 --keep 0");
  const auto arguments = add_arguments(command);
  command.add_option("--keep", arguments->keep, "How many stay")->type_name("N")->required();
  const auto ask = [](api::Client& client, const StreamArguments& given) {
    return client.remove(given.path("snapshots") + "?keep=" + std::to_string(given.keep));
  };
  run_on(command, arguments, ask, &print_removed, action);
}

}  // namespace cairn::cli
