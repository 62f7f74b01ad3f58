#include "tools/cli/upcaster/deploy_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/number_text.h"

namespace cairn::cli {

namespace {

using nlohmann::json;

constexpr std::size_t kFingerprintShown = 8;

std::string more_text(std::uint64_t count) { return "and " + grouped(count) + " more\n"; }

std::string failures_table(const json& problem, std::size_t rows_max) {
  const json failures = list_member(problem, "failures");
  const std::size_t shown = std::min(failures.size(), rows_max);
  std::vector<std::vector<std::string>> rows = {{"POSITION", "STREAM", "VERSION", "ERROR"}};
  for (std::size_t i = 0; i < shown; ++i) {
    rows.push_back({std::to_string(number_member(failures[i], "position")),
                    text_member(failures[i], "stream"), std::to_string(number_member(failures[i], "version")),
                    text_member(failures[i], "error")});
  }
  const std::uint64_t failed = number_member(problem, "failed");
  return table_text(rows) + (failed > shown ? more_text(failed - shown) : "");
}

std::string kinds_table(const json& problem) {
  const json kinds = list_member(problem, "kinds");
  if (kinds.empty()) return "";
  std::vector<std::vector<std::string>> rows = {{"COUNT", "ERROR"}};
  for (const json& kind : kinds) {
    rows.push_back({grouped(number_member(kind, "count")), text_member(kind, "error")});
  }
  return "\n" + table_text(rows);
}

}  // namespace

std::string deployed_text(std::string_view text) {
  const json result = json::parse(text, nullptr, false);
  const bool unchanged = is_true(result, "unchanged");
  std::string line = fmt::format("{} {} → {}: ", text_member(result, "type"), number_member(result, "from"),
                                 number_member(result, "to"));
  if (!unchanged) line += "checked " + counted(number_member(result, "checked"), "event") + ", ";
  line += unchanged ? "already installed" : is_true(result, "dryRun") ? "would be installed" : "installed";
  line += " as revision " + std::to_string(number_member(result, "revision"));
  line += " (fingerprint " + text_member(result, "fingerprint").substr(0, kFingerprintShown) + "…)";
  return on_one_line(line);
}

bool lists_failures(std::string_view text) {
  return !list_member(json::parse(text, nullptr, false), "failures").empty();
}

std::string failures_text(std::string_view text, std::size_t rows_max) {
  const json problem = json::parse(text, nullptr, false);
  return failures_table(problem, rows_max) + kinds_table(problem);
}

std::string failures_sum(std::string_view text) {
  const json problem = json::parse(text, nullptr, false);
  const bool is_part = problem.is_object() && problem.value("complete", json(true)) == false;
  return "the upcaster fails on " + grouped(number_member(problem, "failed")) + " of " +
         counted(number_member(problem, "checked"), "event") +
         (is_part ? ", and was given up before the last of them" : "");
}

}  // namespace cairn::cli
