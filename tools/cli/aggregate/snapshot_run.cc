#include "tools/cli/aggregate/snapshot_run.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "api/client/server_url.h"
#include "tools/cli/cell_text.h"
#include "tools/cli/json_member.h"
#include "tools/cli/number_text.h"
#include "tools/cli/progress_bar.h"

namespace cairn::cli {

namespace {

using nlohmann::ordered_json;
using Next = api::Client::Next;

constexpr int kInternalError = 500;

// Takes the lines of an answer: how far the run is, and at last what came of it.
class RunLines {
 public:
  Next take(std::string_view line) {
    if (line.empty()) return Next::kGoOn;  // A sign of life.
    const ordered_json message = ordered_json::parse(line, nullptr, false);
    if (!message.is_object()) return Next::kGoOn;
    if (const auto progress = message.find("progress"); progress != message.end()) show(*progress);
    if (const auto result = message.find("result"); result != message.end()) {
      answer_ = api::Answer{200, dumped(*result)};
    } else if (const auto problem = message.find("problem"); problem != message.end()) {
      const auto status = static_cast<int>(number_member(*problem, "status"));
      answer_ = api::Answer{status >= 400 ? status : kInternalError, dumped(*problem)};
    }
    return answer_ ? Next::kStop : Next::kGoOn;
  }

  const std::optional<api::Answer>& answer() const { return answer_; }

 private:
  void show(const ordered_json& progress) {
    const std::uint64_t folded = number_member(progress, "eventsFolded");
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began_;
    const auto rate =
        static_cast<std::uint64_t>(static_cast<double>(folded) / std::max(taken.count(), 0.001));
    bar_.show(bar_text("streams", number_member(progress, "done"), number_member(progress, "total")) + "  " +
              grouped(rate) + " events/s");
  }

  ProgressBar bar_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::optional<api::Answer> answer_;
};

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return grouped(count) + " " + (count == 1 ? one : many);
}

}  // namespace

Result<api::Answer> run_snapshots(api::Client& client, const std::string& category) {
  RunLines lines;
  auto answer = client.post_lines("/aggregates/" + api::percent_encoded(category) + "/snapshots",
                                  {{"Accept", "application/x-ndjson"}},
                                  [&](std::string_view line) { return lines.take(line); });
  if (lines.answer()) return *lines.answer();  // Also when the connection was lost behind it.
  if (!answer || !answer->ok()) return answer;
  return make_error(Errc::kOutcomeUnknown, "the server's answer ended before it said what came of it");
}

std::string report_line(std::string_view text) {
  const ordered_json report = ordered_json::parse(text, nullptr, false);
  const std::uint64_t unsavable = number_member(report, "unsavable"),
                      failed = number_member(report, "failed");
  std::string line = text_member(report, "category") + ": " +
                     counted(number_member(report, "streams"), "stream", "streams") + ": " +
                     grouped(number_member(report, "made")) + " made, " +
                     grouped(number_member(report, "fresh")) + " already there";
  if (unsavable > 0) line += ", " + grouped(unsavable) + " that cannot be saved";
  if (failed > 0) line += ", " + grouped(failed) + " failed";
  line += "; " + counted(number_member(report, "eventsFolded"), "event", "events") + " folded";
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
