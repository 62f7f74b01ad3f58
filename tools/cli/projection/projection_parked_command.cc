#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "api/client/server_url.h"
#include "tools/cli/help/unknown_command.h"
#include "tools/cli/projection/parked_text.h"
#include "tools/cli/projection/projection_arguments.h"
#include "tools/cli/projection/projection_commands.h"
#include "tools/cli/server/answer_output.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/number_text.h"

namespace cairn::cli {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int kPageKeys = 1'000;

struct ParkedArguments {
  ProjectionArguments projection;
  std::string action;  // "" = list
  std::string key;
  std::string reason;

  std::string path(const std::string& rest) const {
    return projection.path("/parked" + (key.empty() ? "" : "/" + api::percent_encoded(key)) + rest);
  }
};

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

// Keys that are parked still are the answer no: what they failed on has not been mended.
int run_retry(api::Client& client, const ParkedArguments& arguments) {
  const auto answer = client.post_json(arguments.path("/retry"), "");
  if (!answer || !answer->ok()) return report_answer(answer, arguments.projection.server.json, print_line);
  const json report = json::parse(answer->body, nullptr, false);
  const std::uint64_t keys = number_member(report, "keys");
  const std::uint64_t released = number_member(report, "released");
  if (arguments.projection.server.json) {
    print_line(answer->body);
  } else {
    print_line(counted(keys, "key") + " tried, " + grouped(released) + " released; " +
               counted(number_member(report, "events"), "event") + " applied");
  }
  if (released >= keys) return kExitOk;
  std::cout << std::flush;
  std::cerr << "cairn: " << counted(keys - released, "key") << (keys - released == 1 ? " is" : " are")
            << " still parked; `cairn projection parked " << on_one_line(arguments.projection.name)
            << "` says why\n";
  return kExitNo;
}

int run_skip(api::Client& client, const ParkedArguments& arguments) {
  const auto answer =
      client.post_json(arguments.path("/skip"), dumped(ordered_json{{"reason", arguments.reason}}));
  return report_answer(answer, arguments.projection.server.json, [&](const std::string& body) {
    const json report = json::parse(body, nullptr, false);
    print_line(on_one_line(arguments.key) + ": the event that failed is skipped; " +
               counted(number_member(report, "events"), "event") + " behind it applied" +
               (number_member(report, "released") > 0 ? "" : ", and then another one failed"));
  });
}

// What is wrong with the arguments together, or "".
std::string conflict_in(const ParkedArguments& arguments) {
  const std::string& action = arguments.action;
  if (arguments.key.empty() && (action == "show" || action == "skip")) return action + " needs a key";
  if (action == "skip" && arguments.reason.empty()) {
    return "skip needs --reason: it is kept in the log, for those who will ask";
  }
  if (action != "skip" && !arguments.reason.empty()) return "--reason goes with skip";
  return "";
}

int run_parked(const ParkedArguments& arguments) {
  if (const std::string conflict = conflict_in(arguments); !conflict.empty()) return report_usage(conflict);
  auto client = make_client(arguments.projection.server);
  if (!client) return report_usage(client.error().message);
  if (arguments.action == "show") return run_show(*client, arguments);
  if (arguments.action == "retry") return run_retry(*client, arguments);
  if (arguments.action == "skip") return run_skip(*client, arguments);
  return run_list(*client, arguments);
}

std::string check_action(const std::string& word) {
  const std::vector<std::string> actions = {"show", "retry", "skip"};
  for (const std::string& action : actions) {
    if (word == action) return "";
  }
  const std::string nearest = nearest_word(word, actions);
  return "must be show, retry or skip" + (nearest.empty() ? "" : "; did you mean '" + nearest + "'?");
}

}  // namespace

void add_projection_parked_command(CLI::App& projection, int& exit_code) {
  CLI::App& command =
      *projection.add_subcommand("parked", "Show what could not be applied, try it again, or skip it");
  command.footer(
      "\nAn event that cannot be applied is parked with all that follow it for the same key; other keys go\n"
      "on. After the script, an upcaster or a schema was mended, retry applies them. skip leaves the event\n"
      "that failed out for good, with the reason, and goes on behind it. Exit code 1 when keys stay parked.\n"
      "\nExamples:\n"
      "  cairn projection parked customers\n"
      "  cairn projection parked customers show 7\n"
      "  cairn projection parked customers retry           all keys\n"
      "  cairn projection parked customers retry 7\n"
      "  cairn projection parked customers skip 7 --reason \"a test order, see ticket 12\"");
  auto arguments = std::make_shared<ParkedArguments>();
  add_projection_arguments(command, arguments->projection);
  command.add_option("action", arguments->action, "What to do; otherwise all keys are listed")
      ->type_name("ACTION")
      ->check(CLI::Validator(check_action, "{show,retry,skip}"));
  command.add_option("key", arguments->key, "The key, or the stream of an event whose key is not known")
      ->type_name("KEY");
  command.add_option("--reason", arguments->reason, "With skip: why")->type_name("TEXT");
  command.callback([arguments, &exit_code] { exit_code = run_parked(*arguments); });
}

}  // namespace cairn::cli
