#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "api/client/server_url.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/server/answer_output.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/line_output.h"
#include "tools/cli/text/number_text.h"
#include "tools/cli/text/terminal.h"

namespace cairn::cli {

namespace {

constexpr std::uint64_t kPageStreams = 1'000;
constexpr std::size_t kVersionWidth = 11;  // 999,999,999
constexpr std::size_t kTimeWidth = 27;     // 2026-11-16T20:55:35.123456Z
constexpr std::size_t kStreamWidthMin = 8;
constexpr std::size_t kColumnGap = 2;

struct StreamListArguments {
  ServerOptions server;
  std::string category;
  std::string prefix;
  std::uint64_t limit = 0;  // 0 = all
};

struct StreamShowArguments {
  ServerOptions server;
  std::string stream;
};

// Names have any length, so they come last.
std::string stream_line(const std::string& version, const std::string& updated, const std::string& name) {
  const std::size_t width = terminal_width(STDOUT_FILENO);  // Read each time: the window may be resized.
  const std::size_t before = kVersionWidth + kTimeWidth + 2 * kColumnGap;
  const std::size_t left = width > before ? width - before : 0;
  const std::size_t padding = version.size() < kVersionWidth ? kVersionWidth - version.size() : 0;
  return std::string(padding, ' ') + version + std::string(kColumnGap, ' ') + cell(updated, kTimeWidth) +
         std::string(kColumnGap, ' ') + shortened(name, std::max(left, kStreamWidthMin));
}

std::string streams_path(const StreamListArguments& arguments, const std::string& after,
                         std::uint64_t limit) {
  std::string path = "/streams?limit=" + std::to_string(limit);
  if (!arguments.category.empty()) path += "&category=" + api::percent_encoded(arguments.category);
  if (!arguments.prefix.empty()) path += "&prefix=" + api::percent_encoded(arguments.prefix);
  if (!after.empty()) path += "&after=" + api::percent_encoded(after);
  return path;
}

int run_list_streams(const StreamListArguments& arguments) {
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  const bool table = !arguments.server.json && is_terminal(STDOUT_FILENO);
  LineOutput output;
  std::uint64_t printed = 0;
  const auto print = [&](const std::string& entry) {
    if (!table) return output.write(entry + "\n");
    const nlohmann::json stream = nlohmann::json::parse(entry, nullptr, false);
    if (printed == 0 && !output.write(stream_line("VERSION", "UPDATED", "STREAM") + "\n")) return false;
    return output.write(stream_line(grouped(number_member(stream, "version")),
                                    text_member(stream, "updatedAt"), text_member(stream, "stream")) +
                        "\n");
  };
  for (std::string after;;) {
    const std::uint64_t limit =
        arguments.limit == 0 ? kPageStreams : std::min(kPageStreams, arguments.limit - printed);
    const auto answer = client->get(streams_path(arguments, after, limit));
    if (!answer || !answer->ok()) {
      output.finish("writing the streams");
      return answer ? report_refusal(*answer, arguments.server.json) : report_unreachable(answer.error());
    }
    bool is_open = true;
    for (const std::string& entry : raw_elements(answer->body, "streams")) {
      is_open = is_open && print(entry);
      ++printed;
    }
    std::string next = text_member(nlohmann::json::parse(answer->body, nullptr, false), "next");
    const bool is_last = next.empty() || next == after || (arguments.limit > 0 && printed >= arguments.limit);
    if (!output.flush() || !is_open || is_last) return output.finish("writing the streams");
    after = std::move(next);
  }
}

int run_show_stream(const StreamShowArguments& arguments) {
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  const auto answer = client->get("/streams/" + api::percent_encoded(arguments.stream));
  return report_answer(answer, arguments.server.json, [](const std::string& body) {
    const nlohmann::json stream = nlohmann::json::parse(body, nullptr, false);
    std::cout << table_text({{"stream", text_member(stream, "stream")},
                             {"category", text_member(stream, "category")},
                             {"version", std::to_string(number_member(stream, "version"))},
                             {"positions", std::to_string(number_member(stream, "firstPosition")) + " to " +
                                               std::to_string(number_member(stream, "lastPosition"))},
                             {"created", text_member(stream, "createdAt")},
                             {"updated", text_member(stream, "updatedAt")}});
  });
}

void add_stream_list(CLI::App& stream, CommandAction& action) {
  CLI::App& command = *stream.add_subcommand("list", "List the streams");
  command.footer(
      "\nNames are in byte order: a table on a terminal, and one JSON object per line with --json or into a "
      "pipe or\n"
      "file.\n"
      "\nExamples:\n"
      "  cairn stream list --category order --limit 20\n"
      "  cairn stream list --prefix order-4 --json");
  auto arguments = std::make_shared<StreamListArguments>();
  command.add_option("--category", arguments->category, "Only streams of this category")
      ->type_name("CATEGORY");
  command.add_option("--prefix", arguments->prefix, "Only names that begin with this")->type_name("TEXT");
  command.add_option("--limit", arguments->limit, "At most this many streams; otherwise all")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run_list_streams(*arguments); });
}

void add_stream_show(CLI::App& stream, CommandAction& action) {
  CLI::App& command = *stream.add_subcommand("show", "Show where a stream is");
  command.footer(
      "\nIts version, the positions of its first and newest event, and their times. `cairn read` reads its "
      "events.\n"
      "\nExamples:\n"
      "  cairn stream show order-42");
  auto arguments = std::make_shared<StreamShowArguments>();
  command.add_option("stream", arguments->stream, "The stream")->type_name("STREAM")->required();
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run_show_stream(*arguments); });
}

}  // namespace

void add_stream_commands(CLI::App& app, CommandAction& action) {
  CLI::App& stream = *app.add_subcommand("stream", "List streams, and show where one is");
  stream.require_subcommand(1);
  stream.footer("\nExamples:\n  cairn stream list --category order\n  cairn stream show order-42");
  add_stream_list(stream, action);
  add_stream_show(stream, action);
}

}  // namespace cairn::cli
