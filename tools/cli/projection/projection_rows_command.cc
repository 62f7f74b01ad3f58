#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/cli/projection/projection_arguments.h"
#include "tools/cli/projection/projection_commands.h"
#include "tools/cli/projection/row_pages.h"
#include "tools/cli/schema/pretty_json.h"
#include "tools/cli/server/answer_output.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/line_output.h"
#include "tools/cli/text/terminal.h"

namespace cairn::cli {

namespace {

using nlohmann::json;

constexpr std::size_t kKeyWidthMin = 12;
constexpr std::size_t kKeyWidthMax = 40;
constexpr std::size_t kRowWidthMin = 8;
constexpr std::size_t kGap = 2;

struct RowsArguments {
  ProjectionArguments projection;
  RowRequest wanted;
};

std::string key_of(const std::string& row) { return text_member(json::parse(row, nullptr, false), "key"); }

// Prints rows on stdout as they arrive: a table, or one JSON object per line.
class RowPrinter {
 public:
  explicit RowPrinter(bool table) : table_(table) {}

  // False when stdout was closed.
  bool print(const RowPage& page) {
    if (generation_ != 0 && page.generation != generation_) {
      std::cerr << "cairn: generation " << page.generation << " has taken the place of " << generation_
                << " meanwhile; the rows are of both\n";
    }
    generation_ = page.generation;
    if (table_) {
      print_table(page);
    } else {
      for (const std::string& row : page.rows) output_.write(row) && output_.write("\n");
    }
    return output_.flush();
  }

  int finish() { return output_.finish("writing the rows"); }

 private:
  void print_table(const RowPage& page) {
    const std::size_t width = terminal_width(STDOUT_FILENO);  // Read each time: the window may be resized.
    if (key_width_ == 0) {
      if (page.rows.empty()) return;
      key_width_ = kKeyWidthMin;
      for (const std::string& row : page.rows) key_width_ = std::max(key_width_, text_width(key_of(row)));
      key_width_ = std::min(key_width_, kKeyWidthMax);
      output_.write(cell("KEY", key_width_ + kGap) + "ROW\n");
    }
    const std::size_t left = width > key_width_ + kGap ? width - key_width_ - kGap : 0;
    for (const std::string& row : page.rows) {
      output_.write(cell(key_of(row), key_width_) + std::string(kGap, ' ') +
                    shortened(raw_member(row, "row"), std::max(left, kRowWidthMin)) + "\n");
    }
  }

  const bool table_;
  std::size_t key_width_ = 0;  // 0 = no row yet
  std::uint64_t generation_ = 0;
  LineOutput output_;
};

// In the form of `cairn state`.
void print_row(const std::string& name, const std::string& text) {
  const json answer = json::parse(text, nullptr, false);
  std::cerr << on_one_line(name) << ' ' << on_one_line(text_member(answer, "key")) << " at position "
            << number_member(answer, "position") << ", generation " << number_member(answer, "generation")
            << std::endl;
  if (const std::string row = raw_member(text, "row"); !row.empty()) print_line(pretty_json(row));
}

int print_all(api::Client& client, const RowsArguments& arguments) {
  RowPrinter printer(!arguments.projection.server.json && is_terminal(STDOUT_FILENO));
  const auto last = read_row_pages(client, arguments.projection, arguments.wanted,
                                   [&](const RowPage& page) { return printer.print(page); });
  const int written = printer.finish();
  if (!last) return report_unreachable(last.error());
  if (!last->ok()) return report_refusal(*last, arguments.projection.server.json);
  return written;
}

int run_rows(const RowsArguments& arguments) {
  const ProjectionArguments& projection = arguments.projection;
  auto client = make_client(projection.server);
  if (!client) return report_usage(client.error().message);
  if (arguments.wanted.key.empty()) return print_all(*client, arguments);
  return report_answer(client->get(projection.path(row_path(arguments.wanted))), projection.server.json,
                       [&](const std::string& body) { print_row(projection.name, body); });
}

}  // namespace

void add_projection_rows_command(CLI::App& projection, CommandAction& action) {
  CLI::App& command = *projection.add_subcommand("rows", "Read the rows of a projection, or one of them");
  command.footer(
      "\nRows are sorted by key: a table on a terminal, and one JSON object per line with --json or into a "
      "pipe or\n"
      "file. An append answers with its position; --min-position waits until the rows include it, with exit "
      "code 1\n"
      "when that takes too long.\n"
      "\nExamples:\n"
      "  cairn projection rows customers\n"
      "  cairn projection rows customers 7\n"
      "  cairn projection rows customers --prefix eu/ --limit 20\n"
      "  cairn projection rows customers 7 --min-position 1234     including the event just appended");
  auto arguments = std::make_shared<RowsArguments>();
  RowRequest& wanted = arguments->wanted;
  wanted.wait_ms = 5'000;
  add_projection_arguments(command, arguments->projection);
  auto* key = command.add_option("key", wanted.key, "Only the row of this key")->type_name("KEY");
  command.add_option("--prefix", wanted.prefix, "Only keys that begin with this")
      ->type_name("TEXT")
      ->excludes(key);
  command.add_option("--limit", wanted.limit, "At most this many rows; otherwise all")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->excludes(key);
  auto* position =
      command.add_option("--min-position", wanted.min_position, "Wait until the rows include this position")
          ->type_name("N")
          ->check(CLI::PositiveNumber);
  command.add_option("--wait-ms", wanted.wait_ms, "How long to wait for --min-position")
      ->type_name("N")
      ->check(CLI::Range(0, 30'000))
      ->capture_default_str()
      ->needs(position);
  command.add_flag("--partial", wanted.partial, "Also of a first generation that is still being built");
  run_after_parsing(command, action, [arguments] { return run_rows(*arguments); });
}

}  // namespace cairn::cli
