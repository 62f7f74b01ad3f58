#include "tools/cli/commands/commands.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/client/server_url.h"
#include "eventstore/base/time_text.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/follow.h"
#include "tools/cli/server/read_query.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/text/event_printer.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/terminal.h"

namespace cairn::cli {

namespace {

struct ReadArguments {
  ServerOptions server;
  ReadQuery query;
  std::string from;         // a number or "end"; "" = not given
  std::uint64_t tail = 0;   // 0 = not given
  std::uint64_t limit = 0;  // 0 = not given
  bool all = false;
  bool follow = false;
};

constexpr std::string_view kEnd = "end";
constexpr std::uint64_t kTailMax = 10'000;

// The conflict between the arguments, or "".
std::string conflict_in(const ReadArguments& arguments) {
  const ReadQuery& query = arguments.query;
  if (query.stream.empty() != arguments.all) return "name one stream, or --all for all of them";
  if (!arguments.all && query.filters()) {
    return "--type, --category, --tag, --correlation, --from-time, --until-time and --no-system go with "
           "--all";
  }
  if (arguments.tail > 0 && (query.backward || arguments.limit > 0)) {
    return "--tail excludes --backward and --limit";
  }
  if (arguments.tail > 0 && !arguments.from.empty() && arguments.from != kEnd) {
    return "--tail goes with no --from but 'end'";
  }
  if (arguments.from == kEnd && query.backward) return "--from end and --backward exclude each other";
  if (arguments.follow && query.backward) return "--follow and --backward exclude each other";
  if (arguments.follow && !query.until_time.empty()) {
    return "--follow and --until-time exclude each other: following has no end";
  }
  return "";
}

int read_to_the_end(api::Client& client, const ReadQuery& query, EventPrinter& printer) {
  using Next = api::Client::Next;
  const auto answer =
      client.get_lines(read_path(query), {{"Accept", "application/x-ndjson"}}, [&](std::string_view event) {
        if (event.empty()) return Next::kGoOn;
        return printer.print(event) ? Next::kGoOn : Next::kStop;
      });
  const int written = printer.finish();
  if (!answer) return report_unreachable(answer.error());
  if (!answer->ok()) return report_refusal(*answer, false);
  return written;
}

// A token that is limited to categories has to name one of them.
std::string head_path(const ReadQuery& query) {
  std::string path = "/events?direction=backward&limit=1&shape=stored";
  for (const std::string& category : query.categories) path += "&category=" + api::percent_encoded(category);
  return path;
}

// The newest position, or the newest version of the stream; 0 before its first event. `failure` becomes the exit
// code when the server does not say.
std::uint64_t end_of_log(api::Client& client, const ReadQuery& query, std::optional<int>& failure) {
  const bool is_all = query.stream.empty();
  const auto answer =
      client.get(is_all ? head_path(query) : "/streams/" + api::percent_encoded(query.stream));
  if (!answer) {
    failure = report_unreachable(answer.error());
    return 0;
  }
  if (!is_all && answer->status == 404) return 0;
  if (!answer->ok()) {
    failure = report_refusal(*answer, false);
    return 0;
  }
  return number_member(nlohmann::json::parse(answer->body, nullptr, false), is_all ? "head" : "version");
}

// Prints the newest events up to `end`, the oldest of them first.
int print_tail(api::Client& client, ReadQuery query, std::uint64_t count, std::uint64_t end,
               EventPrinter& printer) {
  query.backward = true;
  query.limit = count;
  query.from = end;
  struct Line {
    std::uint64_t position = 0;
    std::uint64_t part = 0;
    std::string text;
  };
  std::vector<Line> lines;
  const auto answer =
      client.get_lines(read_path(query), {{"Accept", "application/x-ndjson"}}, [&](std::string_view event) {
        if (event.empty()) return api::Client::Next::kGoOn;
        const auto parsed = nlohmann::json::parse(event, nullptr, false);
        lines.push_back(
            {number_member(parsed, "position"), number_member(parsed, "part"), std::string(event)});
        return api::Client::Next::kGoOn;
      });
  if (!answer) return report_unreachable(answer.error());
  if (!answer->ok()) return report_refusal(*answer, false);
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
    return std::pair(a.position, a.part) < std::pair(b.position, b.part);
  });
  for (const Line& line : lines) {
    if (!printer.print(line.text)) break;
  }
  return kExitOk;
}

int read_from_end(api::Client& client, const ReadArguments& arguments, ReadQuery query,
                  EventPrinter& printer) {
  std::optional<int> failure;
  const std::uint64_t end = end_of_log(client, query, failure);
  if (failure) return *failure;
  if (arguments.tail > 0 && end > 0) {
    const int printed = print_tail(client, query, arguments.tail, end, printer);
    if (printed != kExitOk) return printed;
  }
  if (!arguments.follow) return printer.finish();
  query.from = end + 1;
  return follow(client, query, printer);
}

int run_read(const ReadArguments& arguments) {
  if (const std::string conflict = conflict_in(arguments); !conflict.empty()) return report_usage(conflict);
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);

  ReadQuery query = arguments.query;
  const bool from_end = arguments.tail > 0 || arguments.from == kEnd;
  if (!from_end && !arguments.from.empty()) query.from = std::stoull(arguments.from);
  if (arguments.limit > 0) query.limit = arguments.limit;
  const bool table = !arguments.server.json && is_terminal(STDOUT_FILENO);
  EventPrinter printer(table ? OutputForm::kTable : OutputForm::kJsonLines,
                       table || arguments.follow ? Flush::kEachEvent : Flush::kAtTheEnd);
  if (from_end) return read_from_end(*client, arguments, query, printer);
  return arguments.follow ? follow(*client, query, printer) : read_to_the_end(*client, query, printer);
}

std::string check_positive(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool good = error == std::errc() && end == text.data() + text.size() && number > 0;
  return good ? "" : "must be a whole number, at least 1";
}

std::string check_from(const std::string& text) {
  if (text == kEnd || check_positive(text).empty()) return "";
  return "must be a whole number, at least 1, or 'end'";
}

std::string check_shape(const std::string& text) {
  if (text == "latest" || text == "stored" || check_positive(text).empty()) return "";
  return "must be 'latest', 'stored' or a schema version";
}

std::string check_filled(const std::string& text) { return text.empty() ? "is empty" : ""; }

std::string check_time(const std::string& text) {
  return parse_time(text) ? "" : "must be a time (RFC 3339), like 2026-11-16T15:00:00Z";
}

void add_filter_options(CLI::App& command, ReadQuery& query) {
  command.add_option("--type", query.types, "With --all: only events of this type, repeatable")
      ->type_name("TYPE")
      ->allow_extra_args(false);
  command.add_option("--category", query.categories, "With --all: only streams of this category, repeatable")
      ->type_name("CATEGORY")
      ->allow_extra_args(false);
  command
      .add_option("--tag", query.tags,
                  "With --all: only events with this tag, repeatable; an event must have all of them")
      ->type_name("TAG")
      ->allow_extra_args(false)
      ->check(CLI::Validator(check_filled, ""));
  command
      .add_option("--correlation", query.correlation,
                  "With --all: only events with this correlationId in their metadata")
      ->type_name("ID")
      ->check(CLI::Validator(check_filled, ""));
  command
      .add_option("--from-time", query.from_time,
                  "With --all: only events recorded at or after this time (RFC 3339)")
      ->type_name("T")
      ->check(CLI::Validator(check_time, ""));
  command.add_option("--until-time", query.until_time, "With --all: only events recorded before this time")
      ->type_name("T")
      ->check(CLI::Validator(check_time, ""));
  command.add_flag("--no-system", query.without_system,
                   "With --all: without the server's own events, of streams like $schemas");
}

void add_query_options(CLI::App& command, ReadArguments& arguments) {
  command.add_option("stream", arguments.query.stream, "The stream, as in order-42")->type_name("STREAM");
  command.add_flag("--all", arguments.all, "All streams, in the order of their events");
  command
      .add_option("--from", arguments.from,
                  "Begin with this version of the stream, or with --all at this position; 'end': with the "
                  "events to come")
      ->type_name("N")
      ->check(CLI::Validator(check_from, ""));
  command
      .add_option("--tail", arguments.tail,
                  "The newest N events, in their order; with --follow also those to come")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, kTailMax).description(""));
  command.add_option("--limit", arguments.limit, "At most this many events; otherwise to the end")
      ->type_name("N")
      ->check(CLI::Validator(check_positive, ""));
  command.add_flag("--backward", arguments.query.backward, "Newest first");
  command.add_flag("--follow", arguments.follow, "Wait for new events and print them");
  add_filter_options(command, arguments.query);
  command
      .add_option("--shape", arguments.query.shape,
                  "The data in the newest version of its schema ('latest', the default), as it was stored "
                  "('stored'), or in this version of its schema (a number)")
      ->type_name("SHAPE")
      ->check(CLI::Validator(check_shape, ""));
}

}  // namespace

void add_read_command(CLI::App& app, CommandAction& action) {
  CLI::App& command = *app.add_subcommand("read", "Read the events of a stream, or of all");
  command.footer(
      "\nPrints a table on a terminal, and one JSON object per line with --json or into a pipe or file.\n"
      "--follow survives restarts of the server and misses no event; Ctrl-C ends it.\n"
      "Upcasters convert old events to the newest version of their schema; --shape selects another version.\n"
      "An event that an upcaster split is shown part by part, with versions like 3.1 and 3.2.\n"
      "\nExamples:\n"
      "  cairn read order-42\n"
      "  cairn read order-42 --backward --limit 1             the newest event\n"
      "  cairn read --all --category order --follow           the events of orders, past and future\n"
      "  cairn read --all --tag customer:7 --tag eu           events that have both tags\n"
      "  cairn read --all --correlation c-1                   what one request has caused\n"
      "  cairn read --all --from-time 2026-11-16T15:00:00Z --until-time 2026-11-16T16:00:00Z\n"
      "  cairn read --all --no-system --tail 20               the newest events of applications\n"
      "  cairn read --all --tail 20 --follow                  those, and what comes\n"
      "  cairn read order-42 --shape stored                   as it was written, without upcasters\n"
      "  cairn read --all --type Placed --shape 2             in version 2 of its schema\n"
      "  cairn read --all --json --shape stored > backup.ndjson   for `cairn import`");
  auto arguments = std::make_shared<ReadArguments>();
  add_query_options(command, *arguments);
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run_read(*arguments); });
}

}  // namespace cairn::cli
