#include "tools/bench/compare/report.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <ostream>

namespace cairn::bench {
namespace {

constexpr std::size_t kColumns = 7;
using Cells = std::array<std::string, kColumns>;

const Cells kHead = {"work", "Cairn", "PostgreSQL", "SQLite", "ratio", "goal", "met"};

std::string verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::kMet:
      return "yes";
    case Verdict::kMissed:
      return "NO";
    case Verdict::kNotJudged:
      return "–";
  }
  return "";
}

Cells cells_of(const Row& row) {
  return {row.work, row.cairn, row.postgres, row.sqlite, row.ratio, row.goal, verdict_text(row.verdict)};
}

// Characters as a terminal shows them, not bytes: the table has "µs" in it.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

void print_line(std::ostream& out, const Cells& cells, const std::array<std::size_t, kColumns>& widths) {
  for (std::size_t i = 0; i < kColumns; ++i) {
    const std::string padding(widths[i] - width_of(cells[i]), ' ');
    const bool is_text = i == 0 || i >= 5;
    out << (i == 0 ? "" : "  ") << (is_text ? cells[i] + padding : padding + cells[i]);
  }
  out << '\n';
}

void print_head(std::ostream& out, const Report& report, const char* bullet) {
  for (const std::string& line : describe(report.machine)) out << bullet << line << '\n';
  for (const std::string& term : report.terms) out << bullet << term << '\n';
  out << '\n';
}

void print_notes(std::ostream& out, const Report& report, const char* bullet) {
  out << '\n';
  for (const Row& row : report.rows) {
    if (!row.note.empty()) out << bullet << row.work << ": " << row.note << '\n';
  }
}

}  // namespace

Verdict at_least(double value, double goal) { return value >= goal ? Verdict::kMet : Verdict::kMissed; }
Verdict at_most(double value, double goal) { return value <= goal ? Verdict::kMet : Verdict::kMissed; }

bool Report::all_met() const {
  return std::none_of(rows.begin(), rows.end(),
                      [](const Row& row) { return row.verdict == Verdict::kMissed; });
}

void print_text(std::ostream& out, const Report& report) {
  std::array<std::size_t, kColumns> widths;
  std::transform(kHead.begin(), kHead.end(), widths.begin(), width_of);
  for (const Row& row : report.rows) {
    const Cells cells = cells_of(row);
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], width_of(cells[i]));
  }
  print_head(out, report, "");
  print_line(out, kHead, widths);
  for (const Row& row : report.rows) print_line(out, cells_of(row), widths);
  print_notes(out, report, "  ");
}

void print_markdown(std::ostream& out, const Report& report) {
  print_head(out, report, "- ");
  const auto print_cells = [&out](const Cells& cells) {
    for (const std::string& cell : cells) out << "| " << cell << ' ';
    out << "|\n";
  };
  print_cells(kHead);
  out << "|---|---:|---:|---:|---:|---|---|\n";
  for (const Row& row : report.rows) print_cells(cells_of(row));
  print_notes(out, report, "- ");
}

nlohmann::json to_json(const Report& report) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Row& row : report.rows) {
    nlohmann::json samples = nlohmann::json::array();
    for (const Contender& contender : row.samples) {
      samples.push_back(
          {{"label", contender.label}, {"unit", contender.unit}, {"rounds", contender.samples}});
    }
    nlohmann::json met = nullptr;
    if (row.verdict != Verdict::kNotJudged) met = row.verdict == Verdict::kMet;
    rows.push_back({{"work", row.work},
                    {"cairn", row.cairn},
                    {"postgresql", row.postgres},
                    {"sqlite", row.sqlite},
                    {"ratio", row.ratio},
                    {"goal", row.goal},
                    {"met", met},
                    {"note", row.note},
                    {"samples", samples}});
  }
  return {{"machine", describe(report.machine)}, {"terms", report.terms}, {"rows", rows}};
}

}  // namespace cairn::bench
