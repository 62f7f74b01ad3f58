#include "tools/cli/doctor/doctor_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/number_text.h"
#include "tools/cli/text/terminal.h"

namespace cairn::cli {

namespace {

constexpr std::size_t kVerdictWidth = 9;
constexpr std::size_t kNameWidth = 14;

Colour colour_of(CheckVerdict verdict) {
  if (verdict == CheckVerdict::kOk) return Colour::kGreen;
  return verdict == CheckVerdict::kWarning ? Colour::kYellow : Colour::kRed;
}

std::size_t count_of(const std::vector<Check>& checks, CheckVerdict verdict) {
  return static_cast<std::size_t>(std::count_if(
      checks.begin(), checks.end(), [verdict](const Check& check) { return check.verdict == verdict; }));
}

}  // namespace

const char* to_text(CheckVerdict verdict) {
  switch (verdict) {
    case CheckVerdict::kOk:
      return "ok";
    case CheckVerdict::kWarning:
      return "warning";
    case CheckVerdict::kFailed:
      return "failed";
  }
  return "?";
}

bool is_sound(const std::vector<Check>& checks) { return count_of(checks, CheckVerdict::kFailed) == 0; }

std::string checks_text(const std::string& subject, const std::vector<Check>& checks, bool colour) {
  const std::size_t failed = count_of(checks, CheckVerdict::kFailed);
  std::string text = fmt::format("{}: {}, {}, {}.\n", subject, counted(checks.size(), "check"),
                                 counted(count_of(checks, CheckVerdict::kWarning), "warning"),
                                 failed == 0 ? "none failed" : grouped(failed) + " failed");
  for (const Check& check : checks) {
    text += "  " + coloured(cell(to_text(check.verdict), kVerdictWidth), colour_of(check.verdict), colour) +
            cell(check.name, kNameWidth) + on_one_line(check.text) + "\n";
  }
  return text;
}

std::string checks_json(const std::string& key, const std::string& subject,
                        const std::vector<Check>& checks) {
  auto list = nlohmann::json::array();
  for (const Check& check : checks)
    list.push_back({{"name", check.name}, {"verdict", to_text(check.verdict)}, {"text", check.text}});
  const nlohmann::json report = {{"sound", is_sound(checks)}, {key, subject}, {"checks", std::move(list)}};
  return dumped(report, 2) + "\n";
}

}  // namespace cairn::cli
