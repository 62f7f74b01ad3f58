#include "tools/cli/server/poll.h"

#include <algorithm>

#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/interruption.h"

namespace cairn::cli {

namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kRetryPause = 500ms;

}  // namespace

PollResult poll(api::Client& client, const PollOptions& options,
                const std::function<PollNext(const std::string& body)>& take,
                const std::function<void(const std::string& reason)>& lost) {
  Interruption interruption([&client] { client.stop(); });
  const auto is_over = [&](SteadyClock::time_point since) {
    return options.patience && SteadyClock::now() - since >= *options.patience;
  };
  auto answered_at = SteadyClock::now();
  for (bool was_there = false, is_gone = false; !interruption.arrived();) {
    const auto answer = client.get(options.path);
    if (interruption.arrived()) break;
    if (answer && answer->ok()) {
      was_there = true;
      is_gone = false;
      answered_at = SteadyClock::now();
      if (take(answer->body) == PollNext::kEnd) return {};
      interruption.pause(options.interval);
      continue;
    }
    if (answer && answer->status != 503) return {.failure = report_refusal(*answer, options.json)};
    if (!was_there || is_over(answered_at)) {
      return {.failure = answer ? report_refusal(*answer, options.json) : report_unreachable(answer.error())};
    }
    if (!is_gone) lost(answer ? refusal_text(*answer) : answer.error().message);
    is_gone = true;
    interruption.pause(std::max(options.interval, kRetryPause));
  }
  return {.interrupted = true};
}

}  // namespace cairn::cli
