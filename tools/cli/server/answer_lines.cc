#include "tools/cli/server/answer_lines.h"

#include <algorithm>
#include <utility>

#include "tools/cli/text/json_member.h"

namespace cairn::cli {

api::Client::Next AnswerLines::take(std::string_view line) {
  using Next = api::Client::Next;
  if (line.empty()) return Next::kGoOn;  // A keep-alive line.
  const auto message = nlohmann::ordered_json::parse(line, nullptr, false);
  if (!message.is_object()) return Next::kGoOn;
  if (const auto progress = message.find("progress"); progress != message.end()) on_progress_(*progress);
  if (const auto result = message.find("result"); result != message.end()) {
    answer_ = api::Answer{200, dumped(*result)};
  } else if (const auto problem = message.find("problem"); problem != message.end()) {
    const auto status = static_cast<int>(number_member(*problem, "status"));
    answer_ = api::Answer{status >= 400 ? status : problem_status_, dumped(*problem)};
  }
  return answer_ ? Next::kStop : Next::kGoOn;
}

Result<api::Answer> AnswerLines::outcome(Result<api::Answer> answer) const {
  if (answer_) return *answer_;  // Also when the connection was lost afterwards.
  if (!answer || !answer->ok()) return answer;
  return make_error(Errc::kOutcomeUnknown, "the server's answer ended without a result");
}

std::uint64_t rate_since(std::chrono::steady_clock::time_point began, std::uint64_t count) {
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began;
  return static_cast<std::uint64_t>(static_cast<double>(count) / std::max(taken.count(), 0.001));
}

}  // namespace cairn::cli
