#include "tools/cli/projection/verify_text.h"

#include <vector>

#include "tools/cli/server/answer_output.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/number_text.h"
#include "tools/cli/text/progress_bar.h"

namespace cairn::cli {

namespace {

using nlohmann::json;

std::uint64_t differences_in(const json& report) {
  return number_member(report, "missing") + number_member(report, "extra") +
         number_member(report, "different");
}

std::string value_of(const std::string& difference, const char* side, std::size_t width) {
  const std::string value = raw_member(difference, side);
  return value.empty() || value == "null" ? "-" : shortened(value, width);
}

}  // namespace

std::string verify_bar(const json& report) {
  return bar_text(text_member(report, "stage"), number_member(report, "position"),
                  number_member(report, "target"));
}

bool is_equal(const json& report) {
  return text_member(report, "stage") == "done" && differences_in(report) == 0;
}

std::string differences_text(const std::string& report, std::size_t value_width) {
  std::vector<std::vector<std::string>> rows = {{"KEY", "LIVE", "REBUILT"}};
  for (const std::string& difference : raw_elements(report, "differences")) {
    rows.push_back({text_member(json::parse(difference, nullptr, false), "key"),
                    value_of(difference, "live", value_width), value_of(difference, "rebuilt", value_width)});
  }
  const std::uint64_t all = differences_in(json::parse(report, nullptr, false));
  const std::size_t shown = rows.size() - 1;
  return table_text(rows) + (all > shown ? "and " + grouped(all - shown) + " more\n" : "");
}

std::string verdict_text(const json& report) {
  const std::uint64_t rows = number_member(report, "rows");
  const std::uint64_t different = differences_in(report);
  if (different == 0) return counted(rows, "row") + (rows == 1 ? " is" : " are") + " what the log says";
  return counted(different, "row") + (different == 1 ? " is" : " are") +
         " not what the log says: " + grouped(number_member(report, "missing")) + " missing, " +
         grouped(number_member(report, "extra")) + " too many, " +
         grouped(number_member(report, "different")) + " different (" + grouped(rows) + " compared)";
}

}  // namespace cairn::cli
