#include "tools/cli/aggregate/snapshot_run.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <vector>

#include "api/client/server_url.h"
#include "tools/cli/server/answer_lines.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/number_text.h"
#include "tools/cli/text/progress_bar.h"

namespace cairn::cli {

namespace {

using nlohmann::ordered_json;

constexpr int kInternalError = 500;

}  // namespace

Result<api::Answer> run_snapshots(api::Client& client, const std::string& category) {
  ProgressBar bar;
  const auto began = std::chrono::steady_clock::now();
  const auto show = [&](const ordered_json& progress) {
    bar.show(bar_text("streams", number_member(progress, "done"), number_member(progress, "total")) + "  " +
             grouped(rate_since(began, number_member(progress, "eventsFolded"))) + " events/s");
  };
  AnswerLines lines(show, kInternalError);
  return lines.outcome(client.post_lines("/aggregates/" + api::percent_encoded(category) + "/snapshots",
                                         {{"Accept", "application/x-ndjson"}},
                                         [&](std::string_view line) { return lines.take(line); }));
}

std::string report_line(std::string_view text) {
  const ordered_json report = ordered_json::parse(text, nullptr, false);
  const std::uint64_t unsavable = number_member(report, "unsavable"),
                      failed = number_member(report, "failed");
  std::string line = text_member(report, "category") + ": " +
                     counted(number_member(report, "streams"), "stream") + ": " +
                     grouped(number_member(report, "made")) + " made, " +
                     grouped(number_member(report, "fresh")) + " already there";
  if (unsavable > 0) line += ", " + grouped(unsavable) + " that cannot be saved";
  if (failed > 0) line += ", " + grouped(failed) + " failed";
  line += "; " + counted(number_member(report, "eventsFolded"), "event") + " folded";
  return on_one_line(line);
}

std::uint64_t failed_in(std::string_view report) {
  return number_member(ordered_json::parse(report, nullptr, false), "failed");
}

std::string snapshot_failures_text(std::string_view text) {
  const ordered_json report = ordered_json::parse(text, nullptr, false);
  const ordered_json failures = list_member(report, "failures");
  std::vector<std::vector<std::string>> rows = {{"STREAM", "VERSION", "POSITION", "ERROR"}};
  for (const ordered_json& failure : failures) {
    rows.push_back({text_member(failure, "stream"), std::to_string(number_member(failure, "version")),
                    std::to_string(number_member(failure, "position")), text_member(failure, "error")});
  }
  const std::uint64_t failed = number_member(report, "failed");
  return table_text(rows) +
         (failed > failures.size() ? "and " + grouped(failed - failures.size()) + " more\n" : "");
}

}  // namespace cairn::cli
