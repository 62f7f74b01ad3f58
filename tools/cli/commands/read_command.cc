#include "tools/cli/commands/commands.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <memory>
#include <string>

#include "eventstore/base/time_text.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/follow.h"
#include "tools/cli/server/read_query.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/text/event_printer.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/terminal.h"

namespace cairn::cli {

namespace {

struct ReadArguments {
  ServerOptions server;
  ReadQuery query;
  std::uint64_t from = 0;   // 0 = not given
  std::uint64_t limit = 0;  // 0 = not given
  bool all = false;
  bool follow = false;
};

// The conflict between the arguments, or "".
std::string conflict_in(const ReadArguments& arguments) {
  const ReadQuery& query = arguments.query;
  if (query.stream.empty() != arguments.all) return "name one stream, or --all for all of them";
  if (!arguments.all && query.filters()) {
    return "--type, --category, --tag, --correlation, --from-time, --until-time and --no-system go with "
           "--all";
  }
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

int run_read(const ReadArguments& arguments) {
  if (const std::string conflict = conflict_in(arguments); !conflict.empty()) return report_usage(conflict);
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);

  ReadQuery query = arguments.query;
  if (arguments.from > 0) query.from = arguments.from;
  if (arguments.limit > 0) query.limit = arguments.limit;
  const bool table = !arguments.server.json && is_terminal(STDOUT_FILENO);
  EventPrinter printer(table ? OutputForm::kTable : OutputForm::kJsonLines,
                       table || arguments.follow ? Flush::kEachEvent : Flush::kAtTheEnd);
  return arguments.follow ? follow(*client, query, printer) : read_to_the_end(*client, query, printer);
}

std::string check_positive(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool good = error == std::errc() && end == text.data() + text.size() && number > 0;
  return good ? "" : "must be a whole number, at least 1";
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
                  "Begin with this version of the stream, or with --all at this position")
      ->type_name("N")
      ->check(CLI::Validator(check_positive, ""));
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
      "  cairn read --all --no-system --limit 10 --backward   the newest events of applications\n"
      "  cairn read order-42 --shape stored                   as it was written, without upcasters\n"
      "  cairn read --all --type Placed --shape 2             in version 2 of its schema\n"
      "  cairn read --all --json --shape stored > backup.ndjson   for `cairn import`");
  auto arguments = std::make_shared<ReadArguments>();
  add_query_options(command, *arguments);
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run_read(*arguments); });
}

}  // namespace cairn::cli
