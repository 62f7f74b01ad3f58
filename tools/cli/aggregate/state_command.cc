#include "tools/cli/aggregate/aggregate_commands.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tools/cli/aggregate/state_diff.h"
#include "tools/cli/aggregate/state_history.h"
#include "tools/cli/aggregate/state_output.h"
#include "tools/cli/aggregate/state_request.h"
#include "tools/cli/schema/pretty_json.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/number_text.h"

namespace cairn::cli {

namespace {

using nlohmann::ordered_json;

struct StateArguments {
  ServerOptions server;
  std::string stream;
  std::uint64_t version = 0;  // 0 = not given
  std::string time;
  std::vector<std::uint64_t> diff;  // two versions, or none
  std::string history;

  StateRequest wanted() const {
    StateRequest state{.stream = stream, .version = {}, .time = time};
    if (version > 0) state.version = version;
    return state;
  }
};

int run_state(api::Client& client, const StateArguments& arguments) {
  const auto asked = ask_state(client, arguments.wanted());
  if (!asked) return report_failure(asked.error());
  if (const auto* refusal = std::get_if<api::Answer>(&*asked)) {
    return report_refusal(*refusal, arguments.server.json);
  }
  const auto& state = std::get<StateAnswer>(*asked);
  if (arguments.server.json) {
    std::cout << state.json << '\n';
    return kExitOk;
  }
  std::cerr << state_line(arguments.stream, state) << std::endl;
  std::cout << pretty_json(state.state) << '\n';
  return kExitOk;
}

int run_diff(api::Client& client, const StateArguments& arguments) {
  std::vector<ordered_json> states;
  for (const std::uint64_t version : arguments.diff) {
    const auto asked = ask_state(client, {.stream = arguments.stream, .version = version});
    if (!asked) return report_failure(asked.error());
    if (const auto* refusal = std::get_if<api::Answer>(&*asked)) {
      return report_refusal(*refusal, arguments.server.json);
    }
    states.push_back(ordered_json::parse(std::get<StateAnswer>(*asked).state, nullptr, false));
  }
  const auto changes = state_diff(states[0], states[1]);
  if (arguments.server.json) {
    std::cout << diff_json(arguments.stream, arguments.diff[0], arguments.diff[1], changes) << '\n';
  } else if (changes.empty()) {
    std::cerr << "Nothing changed between versions " << arguments.diff[0] << " and " << arguments.diff[1]
              << ".\n";
  } else {
    std::cout << diff_text(changes);
  }
  return kExitOk;
}

int run_history(api::Client& client, const StateArguments& arguments) {
  const std::string pointer = pointer_of(arguments.history);
  const auto asked = field_history(client, arguments.wanted(), pointer);
  if (!asked) return report_failure(asked.error());
  if (const auto* refusal = std::get_if<api::Answer>(&*asked)) {
    return report_refusal(*refusal, arguments.server.json);
  }
  const auto& history = std::get<FieldHistory>(*asked);
  if (history.from > 1) {
    std::cerr << "Only the newest " << grouped(kHistoryVersionsMax) << " versions, from "
              << grouped(history.from) << " on, were looked at.\n";
  }
  if (arguments.server.json) {
    std::cout << history_json(arguments.stream, pointer, history) << '\n';
  } else if (!history.changes.empty()) {
    std::cout << history_text(history.changes);
  }
  if (!history.changes.empty()) return kExitOk;
  std::cerr << "cairn: no state of " << on_one_line(arguments.stream) << " has a field "
            << on_one_line(pointer) << '\n';
  return kExitNo;
}

int run(const StateArguments& arguments) {
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  if (!arguments.diff.empty()) return run_diff(*client, arguments);
  if (!arguments.history.empty()) return run_history(*client, arguments);
  return run_state(*client, arguments);
}

}  // namespace

void add_state_command(CLI::App& app, CommandAction& action) {
  CLI::App& command = *app.add_subcommand("state", "Show the state of a stream");
  command.footer(
      "\nThe aggregate of the stream's category folds its events into the state: all events, those up to a "
      "version,\n"
      "or those up to a time, inclusive.\n"
      "\nExamples:\n"
      "  cairn state order-42\n"
      "  cairn state order-42 --version 7\n"
      "  cairn state order-42 --time 2026-11-16T15:00:00Z    what did it look like at three o'clock?\n"
      "  cairn state order-42 --diff 6 7                     what did that event change?\n"
      "  cairn state order-42 --history status               when did it change, and by which event?\n"
      "  cairn state order-42 --history /items/0/price");
  auto arguments = std::make_shared<StateArguments>();
  command.add_option("stream", arguments->stream, "The stream")->type_name("STREAM")->required();
  auto* version = command.add_option("--version", arguments->version, "After this many of its events")
                      ->type_name("N")
                      ->check(CLI::PositiveNumber);
  auto* time = command.add_option("--time", arguments->time, "As of this time (RFC 3339)")->type_name("T");
  auto* diff = command.add_option("--diff", arguments->diff, "What changed between two versions")
                   ->type_name("VERSION")
                   ->expected(2)
                   ->check(CLI::PositiveNumber);
  auto* history =
      command.add_option("--history", arguments->history, "How a field changed: its name, or a JSON pointer")
          ->type_name("FIELD");
  version->excludes(time);
  diff->excludes(version)->excludes(time)->excludes(history);
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run(*arguments); });
}

}  // namespace cairn::cli
