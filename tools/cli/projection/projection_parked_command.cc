#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "api/client/server_url.h"
#include "tools/cli/projection/projection_arguments.h"
#include "tools/cli/projection/projection_commands.h"
#include "tools/cli/projection/redrive_run.h"
#include "tools/cli/server/answer_output.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/choice_option.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/number_text.h"

namespace cairn::cli {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int kPageKeys = 1'000;

enum class ParkedAction { kList, kShow, kRetry, kSkip };

struct ParkedArguments {
  ProjectionArguments projection;
  ParkedAction action = ParkedAction::kList;
  std::string key;
  std::string reason;
  RedriveArguments redrive;

  std::string path(const std::string& rest) const {
    return projection.path("/parked" + (key.empty() ? "" : "/" + api::percent_encoded(key)) + rest);
  }
};

constexpr std::size_t kPositionsShown = 20;

// An event without a known key is parked by its stream.
std::string key_text(const json& parked) {
  const bool by_stream = text_member(parked, "by") == "stream";
  return (by_stream ? "stream " : "") + text_member(parked, "key");
}

std::string positions_text(const json& entry) {
  const json positions = list_member(entry, "positions");
  const std::uint64_t events = number_member(entry, "events");
  std::string text;
  const std::size_t shown = std::min(positions.size(), kPositionsShown);
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + dumped(positions[i]);
  return events > shown ? text + " and " + grouped(events - shown) + " more" : text;
}

// A table of the parked keys. `keys` is JSON as the server sent it.
std::string parked_table(const json& keys) {
  std::vector<std::vector<std::string>> rows = {
      {"KEY", "GENERATION", "EVENTS", "POSITION", "TYPE", "RETRIES", "PARKED", "KIND", "ERROR"}};
  for (const json& parked : keys) {
    rows.push_back(
        {key_text(parked), std::to_string(number_member(parked, "generation")),
         grouped(number_member(parked, "events")), std::to_string(number_member(parked, "position")),
         text_member(object_member(parked, "event"), "type"), grouped(number_member(parked, "retries")),
         text_member(parked, "parkedAt"), text_member(parked, "kind"), text_member(parked, "message")});
  }
  return table_text(rows);
}

// "OrderPlaced, version 3 of order-7: {…}"
std::string failed_event_text(const json& entry) {
  const json event = object_member(entry, "event");
  if (event.is_null()) return "cannot be read";
  std::string text = text_member(event, "type") + ", version " +
                     std::to_string(number_member(event, "version")) + " of " + text_member(event, "stream");
  if (const std::uint64_t bytes = number_member(event, "dataBytes"); bytes > 0) {
    return text + ", " + counted(bytes, "byte") + " of data";
  }
  return text + ": " + (event.contains("data") ? dumped(event["data"]) : "");
}

// All facts about one key: what failed, and which events wait behind it.
std::string parked_key_text(const json& answer) {
  std::string text;
  for (const json& entry : list_member(answer, "entries")) {
    const std::uint64_t line = number_member(entry, "line");
    if (!text.empty()) text += "\n";
    std::vector<std::vector<std::string>> rows = {
        {text_member(entry, "by") == "stream" ? "stream" : "key", text_member(answer, "key")},
        {"generation", std::to_string(number_member(entry, "generation"))},
        {"error", text_member(entry, "message") + (line > 0 ? " (line " + std::to_string(line) + ")" : "")},
        {"kind", text_member(entry, "kind")},
        {"position", std::to_string(number_member(entry, "position"))}};
    if (entry.contains("event")) rows.push_back({"event", failed_event_text(entry)});
    rows.push_back({"parked", text_member(entry, "parkedAt")});
    rows.push_back({"retries", grouped(number_member(entry, "retries"))});
    rows.push_back({"waiting", positions_text(entry)});
    text += table_text(rows);
  }
  return text;
}

int run_list(api::Client& client, const ParkedArguments& arguments) {
  ordered_json parked = ordered_json::array();
  for (std::string after;;) {
    std::string path = arguments.path("?limit=" + std::to_string(kPageKeys));
    if (!after.empty()) path += "&after=" + api::percent_encoded(after);
    const auto answer = client.get(path);
    if (!answer) return report_unreachable(answer.error());
    if (!answer->ok()) return report_refusal(*answer, arguments.projection.server.json);
    const ordered_json page = ordered_json::parse(answer->body, nullptr, false);
    for (const ordered_json& key : list_member(page, "parked")) parked.push_back(key);
    std::string next = text_member(page, "next");
    if (next.empty() || next == after) break;
    after = std::move(next);
  }
  if (arguments.projection.server.json) {
    print_line(dumped(ordered_json{{"parked", std::move(parked)}}));
  } else if (parked.empty()) {
    std::cerr << "Nothing is parked.\n";
  } else {
    std::cout << parked_table(json(parked));
  }
  return kExitOk;
}

int run_show(api::Client& client, const ParkedArguments& arguments) {
  return report_answer(
      client.get(arguments.path("")), arguments.projection.server.json,
      [](const std::string& body) { std::cout << parked_key_text(json::parse(body, nullptr, false)); });
}

int run_retry(api::Client& client, const ParkedArguments& arguments) {
  if (arguments.key.empty()) return run_redrive(client, arguments.projection, arguments.redrive);
  const auto answer = client.post_json(arguments.path("/retry"), "");
  if (!answer || !answer->ok()) return report_answer(answer, arguments.projection.server.json, print_line);
  return report_retried(arguments.projection, answer->body);
}

int run_skip(api::Client& client, const ParkedArguments& arguments) {
  const auto answer =
      client.post_json(arguments.path("/skip"), dumped(ordered_json{{"reason", arguments.reason}}));
  return report_answer(answer, arguments.projection.server.json, [&](const std::string& body) {
    const json report = json::parse(body, nullptr, false);
    print_line(on_one_line(arguments.key) + ": the failed event is skipped; " +
               counted(number_member(report, "events"), "event") + " after it applied" +
               (number_member(report, "released") > 0 ? "" : ", and then another one failed"));
  });
}

// The conflict between the arguments, or "".
std::string conflict_in(const ParkedArguments& arguments) {
  const bool is_skip = arguments.action == ParkedAction::kSkip;
  if (arguments.key.empty() && is_skip) return "skip needs a key";
  if (arguments.key.empty() && arguments.action == ParkedAction::kShow) return "show needs a key";
  if (is_skip && arguments.reason.empty()) return "skip needs --reason: the log keeps it for later readers";
  if (!is_skip && !arguments.reason.empty()) return "--reason goes with skip";
  const bool retries_all = arguments.action == ParkedAction::kRetry && arguments.key.empty();
  if (!retries_all && arguments.redrive.any()) {
    return "--rate, --stop-after, --dry-run and --no-wait go with a retry of all keys";
  }
  return "";
}

int run_parked(const ParkedArguments& arguments) {
  if (const std::string conflict = conflict_in(arguments); !conflict.empty()) return report_usage(conflict);
  auto client = make_client(arguments.projection.server);
  if (!client) return report_usage(client.error().message);
  switch (arguments.action) {
    case ParkedAction::kShow:
      return run_show(*client, arguments);
    case ParkedAction::kRetry:
      return run_retry(*client, arguments);
    case ParkedAction::kSkip:
      return run_skip(*client, arguments);
    case ParkedAction::kList:
      break;
  }
  return run_list(*client, arguments);
}

}  // namespace

void add_projection_parked_command(CLI::App& projection, CommandAction& action) {
  CLI::App& command =
      *projection.add_subcommand("parked", "Show events that could not be applied, retry or skip them");
  command.footer(
      "\nAn event that cannot be applied is parked, with all later events of the same key; other keys "
      "continue.\n"
      "After the script, an upcaster or a schema was fixed, retry applies them. skip omits the failed event "
      "for\n"
      "good, with the reason, and continues after it. Exit code 1 when keys stay parked.\n"
      "A retry of all keys goes on beside the live rows, in small steps, and Ctrl-C cancels it: what was "
      "released\n"
      "stays so.\n"
      "\nExamples:\n"
      "  cairn projection parked customers\n"
      "  cairn projection parked customers show 7\n"
      "  cairn projection parked customers retry           all keys\n"
      "  cairn projection parked customers retry --dry-run what would be released, and what would fail\n"
      "  cairn projection parked customers retry --rate 50 --stop-after 10\n"
      "  cairn projection parked customers retry 7\n"
      "  cairn projection parked customers skip 7 --reason \"a test order, see ticket 12\"");
  auto arguments = std::make_shared<ParkedArguments>();
  add_projection_arguments(command, arguments->projection);
  add_choice<ParkedAction>(
      command, "action", arguments->action, "What to do; without it all keys are listed",
      {{"show", ParkedAction::kShow}, {"retry", ParkedAction::kRetry}, {"skip", ParkedAction::kSkip}})
      ->type_name("ACTION");
  command.add_option("key", arguments->key, "The key, or the stream of an event whose key is unknown")
      ->type_name("KEY");
  command
      .add_option("--rate", arguments->redrive.keys_per_second,
                  "With retry: at most this many keys in a second")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}).description(""));
  command
      .add_option("--stop-after", arguments->redrive.stop_after,
                  "With retry: end when this many keys have failed again")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}).description(""));
  command.add_flag("--dry-run", arguments->redrive.dry_run,
                   "With retry: apply the events to copies of the rows, and keep nothing");
  command.add_flag("--no-wait", arguments->redrive.no_wait, "With retry: return when it has begun");
  command.add_option("--reason", arguments->reason, "With skip: the reason")->type_name("TEXT");
  run_after_parsing(command, action, [arguments] { return run_parked(*arguments); });
}

}  // namespace cairn::cli
