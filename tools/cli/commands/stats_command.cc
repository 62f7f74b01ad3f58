#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
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

using nlohmann::json;

constexpr std::uint64_t kPageNames = 1'000;
constexpr std::size_t kEventsWidth = 14;  // 99,999,999,999
constexpr std::size_t kNameWidthMin = 8;
constexpr std::size_t kGap = 2;

struct CountsArguments {
  ServerOptions server;
  std::string by = "category";
  std::string prefix;
  std::uint64_t limit = 0;  // 0 = all
};

// Prints counts on stdout as they arrive: a table, or one JSON object per line.
class CountPrinter {
 public:
  CountPrinter(bool table, std::string by) : table_(table), by_(std::move(by)) {}

  // {"name", "events"} each, JSON as it was written. False when stdout was closed.
  bool print(const std::vector<std::string>& counts) {
    for (const std::string& entry : counts) {
      if (!output_.write((table_ ? row(entry) : entry) + "\n")) break;
    }
    return output_.flush();
  }

  int finish() { return output_.finish("writing the counts"); }

 private:
  // Names have any length, so they come last.
  std::string row(const std::string& entry) {
    const json parsed = json::parse(entry, nullptr, false);
    std::string rows;
    if (!std::exchange(headed_, true)) {
      std::string heading = by_;
      std::transform(heading.begin(), heading.end(), heading.begin(),
                     [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
      rows = line("EVENTS", heading) + "\n";
    }
    return rows + line(grouped(number_member(parsed, "events")), text_member(parsed, "name"));
  }

  static std::string line(const std::string& events, const std::string& name) {
    const std::size_t width = terminal_width(STDOUT_FILENO);  // Read each time: the window may be resized.
    const std::size_t left = width > kEventsWidth + kGap ? width - kEventsWidth - kGap : 0;
    const std::size_t padding = events.size() < kEventsWidth ? kEventsWidth - events.size() : 0;
    return std::string(padding, ' ') + events + std::string(kGap, ' ') +
           shortened(name, std::max(left, kNameWidthMin));
  }

  const bool table_;
  const std::string by_;
  bool headed_ = false;
  LineOutput output_;
};

std::string counts_path(const CountsArguments& arguments, const std::string& after, std::uint64_t limit) {
  std::string path = "/stats/counts?by=" + arguments.by;
  if (!arguments.prefix.empty()) path += "&prefix=" + api::percent_encoded(arguments.prefix);
  if (!after.empty()) path += "&after=" + api::percent_encoded(after);
  return path + "&limit=" + std::to_string(limit);
}

int run_counts(const CountsArguments& arguments) {
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  CountPrinter printer(!arguments.server.json && is_terminal(STDOUT_FILENO), arguments.by);
  std::uint64_t printed = 0;
  for (std::string after;;) {
    const std::uint64_t limit =
        arguments.limit == 0 ? kPageNames : std::min(kPageNames, arguments.limit - printed);
    const auto answer = client->get(counts_path(arguments, after, limit));
    if (!answer || !answer->ok()) {
      printer.finish();
      return answer ? report_refusal(*answer, arguments.server.json) : report_unreachable(answer.error());
    }
    const std::vector<std::string> counts = raw_elements(answer->body, "counts");
    printed += counts.size();
    std::string next = text_member(json::parse(answer->body, nullptr, false), "next");
    const bool is_last = next.empty() || next == after || (arguments.limit > 0 && printed >= arguments.limit);
    if (!printer.print(counts) || is_last) return printer.finish();
    after = std::move(next);
  }
}

void add_counts(CLI::App& stats, CommandAction& action) {
  CLI::App& command = *stats.add_subcommand("counts", "Count the events of each category, type or tag");
  command.footer(
      "\nNames are in byte order: a table on a terminal, and one JSON object per line with --json or into a "
      "pipe or\n"
      "file. The server's own events are counted too, in categories like $schemas.\n"
      "\nExamples:\n"
      "  cairn stats counts\n"
      "  cairn stats counts --by type\n"
      "  cairn stats counts --by tag --prefix customer: --limit 20\n"
      "  cairn stats counts --by type --json");
  auto arguments = std::make_shared<CountsArguments>();
  command.add_option("--by", arguments->by, "What to count: category, type or tag")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"category", "type", "tag"}))
      ->capture_default_str();
  command.add_option("--prefix", arguments->prefix, "Only names that begin with this")->type_name("TEXT");
  command.add_option("--limit", arguments->limit, "At most this many names; otherwise all")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run_counts(*arguments); });
}

}  // namespace

void add_stats_commands(CLI::App& app, CommandAction& action) {
  CLI::App& stats = *app.add_subcommand("stats", "Show what the log holds");
  stats.require_subcommand(1);
  stats.footer("\nExamples:\n  cairn stats counts --by type\n  cairn stats counts --help");
  add_counts(stats, action);
}

}  // namespace cairn::cli
