#include "tools/cli/upcaster/deployment.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "api/client/server_url.h"
#include "tools/cli/json_member.h"
#include "tools/cli/number_text.h"
#include "tools/cli/progress_bar.h"

namespace cairn::cli {

namespace {

using nlohmann::ordered_json;
using Next = api::Client::Next;

constexpr int kUnprocessable = 422;

std::string path_of(const Deployment& deployment) {
  std::string path = "/upcasters/" + api::percent_encoded(deployment.header.type) + "/" +
                     std::to_string(deployment.header.from) + "?to=" + std::to_string(deployment.header.to) +
                     "&file=" + api::percent_encoded(deployment.file.name());
  if (deployment.dry_run) path += "&dryRun=true";
  return path;
}

// Takes the lines of an answer: how far the check is, and at last what came of it.
class DeployLines {
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
      answer_ = api::Answer{status >= 400 ? status : kUnprocessable, dumped(*problem)};
    }
    return answer_ ? Next::kStop : Next::kGoOn;
  }

  const std::optional<api::Answer>& answer() const { return answer_; }

 private:
  void show(const ordered_json& progress) {
    const std::uint64_t position = number_member(progress, "position");
    const std::uint64_t failed = number_member(progress, "failed");
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began_;
    const auto rate =
        static_cast<std::uint64_t>(static_cast<double>(position) / std::max(taken.count(), 0.001));
    std::string text = bar_text("checking", position, number_member(progress, "head"));
    text += "  " + grouped(rate) + " events/s";
    if (failed > 0) text += "  " + grouped(failed) + " failed";
    bar_.show(text);
  }

  ProgressBar bar_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::optional<api::Answer> answer_;
};

}  // namespace

Result<api::Answer> deploy(api::Client& client, const Deployment& deployment) {
  DeployLines lines;
  auto answer =
      client.put_lines(path_of(deployment), {{"Accept", "application/x-ndjson"}}, deployment.file.source,
                       "text/x-lua", [&](std::string_view line) { return lines.take(line); });
  if (lines.answer()) return *lines.answer();  // Also when the connection was lost behind it.
  if (!answer || !answer->ok()) return answer;
  return make_error(Errc::kOutcomeUnknown, "the server's answer ended before it said what came of it");
}

}  // namespace cairn::cli
