#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/json/json_cursor.h"
#include "eventstore/json/json_writer.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/text/event_printer.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/number_text.h"
#include "tools/cli/text/terminal.h"
#include "tools/cli/text/text_argument.h"

namespace cairn::cli {

namespace {

constexpr std::uint64_t kPageEvents = 1'000;

struct QueryArguments {
  ServerOptions server;
  std::string items;  // JSON; or else one item:
  std::vector<std::string> types;
  std::vector<std::string> tags;
  std::vector<std::string> categories;
  std::uint64_t from = 0;   // 0 = not given
  std::uint64_t until = 0;  // likewise
  std::uint64_t limit = 0;
  bool backward = false;
};

void write_list(JsonWriter& json, std::string_view name, const std::vector<std::string>& values) {
  if (values.empty()) return;
  json.begin_array(name);
  for (const std::string& value : values) json.text(value);
  json.end_array();
}

// The JSON of "items". kInvalidArgument when what was given is no JSON.
Result<std::string> items_json(const QueryArguments& arguments) {
  if (!arguments.items.empty()) return json_argument("items", arguments.items);
  std::string text;
  JsonWriter json(text);
  json.begin_array();
  json.begin_object();
  write_list(json, "types", arguments.types);
  write_list(json, "tags", arguments.tags);
  write_list(json, "categories", arguments.categories);
  json.end_object();
  json.end_array();
  return text;
}

// What is left to read. All pages are of the moment of the first.
struct Rest {
  std::optional<std::uint64_t> from;
  std::optional<std::uint64_t> until;
  std::optional<std::uint64_t> events;
};

std::string page_body(const std::string& items, bool backward, const Rest& rest) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.raw("items", items);
  if (backward) json.text("direction", "backward");
  if (rest.from) json.number("from", *rest.from);
  if (rest.until) json.number("until", *rest.until);
  json.number("limit", std::min(rest.events.value_or(kPageEvents), kPageEvents));
  json.end_object();
  return text;
}

// Prints the events of a page as they were written; false when stdout was closed.
bool print_events(std::string_view page, EventPrinter& printer, std::uint64_t& printed) {
  JsonCursor cursor(page);
  cursor.enter_object();
  while (const auto name = cursor.next_name()) {
    if (*name != "events") {
      cursor.take_raw();
      continue;
    }
    cursor.enter_array();
    while (cursor.next_element()) {
      ++printed;
      if (!printer.print(cursor.take_raw())) return false;
    }
  }
  return true;
}

int run_query(const QueryArguments& arguments) {
  const bool one_item = !arguments.types.empty() || !arguments.tags.empty() || !arguments.categories.empty();
  if (one_item && !arguments.items.empty())
    return report_usage("ITEMS and --type, --tag, --category exclude each other");
  const auto items = items_json(arguments);
  if (!items) return report_usage(items.error().message);
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);

  Rest rest;
  if (arguments.from > 0) rest.from = arguments.from;
  if (arguments.until > 0) rest.until = arguments.until;
  if (arguments.limit > 0) rest.events = arguments.limit;
  const bool table = !arguments.server.json && is_terminal(STDOUT_FILENO);
  EventPrinter printer(table ? OutputForm::kTable : OutputForm::kJsonLines,
                       table ? Flush::kEachEvent : Flush::kAtTheEnd);
  for (std::optional<std::uint64_t> head;;) {
    const auto answer = client->post_json("/events/query", page_body(*items, arguments.backward, rest));
    if (!answer) return report_unreachable(answer.error());
    if (!answer->ok()) return report_refusal(*answer, arguments.server.json);
    const auto page = nlohmann::json::parse(answer->body, nullptr, false);
    if (!page.is_object() || !page.contains("events")) return report_refusal(*answer, false);
    if (!head) head = number_member(page, "head");
    std::uint64_t printed = 0;
    const bool go_on = print_events(answer->body, printer, printed);
    if (rest.events) *rest.events -= std::min(*rest.events, printed);
    const std::uint64_t next = number_member(page, "next");
    if (go_on && next != 0 && rest.events != 0u) {
      rest.from = next;
      if (!arguments.backward && !rest.until) rest.until = head;
      continue;
    }
    const int written = printer.finish();
    if (is_terminal(STDERR_FILENO)) std::cerr << "Head: " << grouped(*head) << '\n';
    return written;
  }
}

}  // namespace

void add_query_command(CLI::App& app, CommandAction& action) {
  CLI::App& command = *app.add_subcommand("query", "Find the events that match any of several items");
  command.footer(
      "\nAn event matches an item if it has any of its types, any of its categories, and all of its tags.\n"
      "ITEMS is JSON, @FILE, or - for stdin: [{\"types\":[…],\"tags\":[…],\"categories\":[…]}, …]. The "
      "options\n"
      "--type, --tag and --category make one item. Without any of them every event matches but those of "
      "system\n"
      "streams. Prints a table on a terminal, and else one JSON object per line.\n"
      "\nExamples:\n"
      "  cairn query --tag course:c1 --type Subscribed --type Defined\n"
      "  cairn query '[{\"tags\":[\"course:c1\"]},{\"tags\":[\"student:s7\"]}]'\n"
      "  cairn query @items.json --backward --limit 1         the newest match");
  auto arguments = std::make_shared<QueryArguments>();
  command.add_option("items", arguments->items, "The items, if there are several")
      ->type_name("ITEMS")
      ->check(CLI::Validator([](const std::string& text) { return text.empty() ? "is empty" : ""; }, ""));
  command.add_option("--type", arguments->types, "Events of this type, repeatable: any of them")
      ->type_name("TYPE")
      ->allow_extra_args(false);
  command.add_option("--tag", arguments->tags, "Events with this tag, repeatable: all of them")
      ->type_name("TAG")
      ->allow_extra_args(false);
  command.add_option("--category", arguments->categories, "Events of this category, repeatable: any of them")
      ->type_name("CATEGORY")
      ->allow_extra_args(false);
  command.add_option("--from", arguments->from, "Begin at this position")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  command.add_option("--until", arguments->until, "End with this position")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  command.add_option("--limit", arguments->limit, "At most this many events; otherwise to the end")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  command.add_flag("--backward", arguments->backward, "Newest first");
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run_query(*arguments); });
}

}  // namespace cairn::cli
