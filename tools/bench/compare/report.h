#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/bench/compare/machine.h"
#include "tools/bench/compare/rounds.h"

namespace cairn::bench {

enum class Verdict { kMet, kMissed, kNotJudged };

// One line of the table.
struct Row {
  std::string work;
  std::string cairn;  // figures as printed; empty = not measured
  std::string postgres = {};
  std::string sqlite = {};
  std::string ratio = {};
  std::string goal = {};
  Verdict verdict = Verdict::kNotJudged;
  std::string note = {};                // printed below the table
  std::vector<Contender> samples = {};  // every turn, for the JSON
};

// kMet when `value` is at least, or at most, `goal`.
Verdict at_least(double value, double goal);
Verdict at_most(double value, double goal);

struct Report {
  Machine machine;
  std::vector<std::string> terms;  // how it was measured, a sentence each
  std::vector<Row> rows;

  bool all_met() const;
};

void print_text(std::ostream& out, const Report& report);
void print_markdown(std::ostream& out, const Report& report);
nlohmann::json to_json(const Report& report);

}  // namespace cairn::bench
