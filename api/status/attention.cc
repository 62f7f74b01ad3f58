#include "api/status/attention.h"

#include <fmt/format.h>

#include <utility>

namespace cairn::api {

namespace {

// As the alerts in examples/monitoring.
constexpr double kFreeShareMin = 0.15;
constexpr double kDaysUntilFullMin = 7;
constexpr double kBehindSecondsMax = 60;
constexpr double kPausedSecondsMax = 15 * 60;

void look_at_disk(const ServerStatus& status, std::vector<Attention>& found) {
  for (const std::string& reason : status.distrust) {
    found.push_back(
        {"disk-not-trusted", "", "Acknowledged events can be lost when the power fails: " + reason + "."});
  }
  if (!status.disk || status.disk->total_bytes == 0) return;
  const double share =
      static_cast<double>(status.disk->free_bytes) / static_cast<double>(status.disk->total_bytes);
  if (share < kFreeShareMin) {
    found.push_back({"disk-nearly-full", "",
                     fmt::format("{:.1f} % of the disk is free; appends are refused when it is full. Make "
                                 "room, or enlarge it.",
                                 share * 100)});
  }
  if (status.growth.days_until_full && *status.growth.days_until_full < kDaysUntilFullMin) {
    found.push_back({"disk-fills", "",
                     fmt::format("The disk is full in {:.1f} days, as fast as the log has grown in the last "
                                 "24 hours.",
                                 *status.growth.days_until_full)});
  }
}

void look_at_projection(const ProjectionStatus& status, std::vector<Attention>& found) {
  const auto add = [&](const char* kind, std::string text) {
    found.push_back({kind, status.name, std::move(text)});
  };
  const std::string reason = status.reason.empty() ? "" : ": " + status.reason;
  const std::string behind =
      fmt::format("{} events and {:.0f} s behind the log", status.lag_events, status.lag_seconds);
  switch (status.state) {
    case ProjectionState::kFaulted:
      add("projection-faulted", "It is stopped" + reason + ". Correct the cause, then resume it.");
      break;
    case ProjectionState::kStalled:
      add("projection-stalled", fmt::format("It makes no progress, {}{}.", behind, reason));
      break;
    case ProjectionState::kPaused:
      if (status.lag_seconds > kPausedSecondsMax || status.parked_keys > 0)
        add("projection-paused", fmt::format("It is paused, {}{}. Resume it.", behind, reason));
      break;
    case ProjectionState::kRunning:
    case ProjectionState::kRebuilding:
      if (status.generation > 0 && status.lag_seconds > kBehindSecondsMax)
        add("projection-behind", fmt::format("Its rows are {}.", behind));
      break;
  }
  if (status.parked_keys > 0) {
    add("keys-parked", fmt::format("{} keys wait behind an event that cannot be applied. Correct the script, "
                                   "then retry or skip them.",
                                   status.parked_keys));
  }
  if (status.rebuild && !status.rebuild->holds.empty())
    add("rebuild-held", "The rebuilt rows do not take over: " + status.rebuild->holds + ".");
}

}  // namespace

std::vector<Attention> attention_of(const ServerStatus& status) {
  std::vector<Attention> found;
  look_at_disk(status, found);
  if (!status.index.complete()) {
    found.push_back({"index-rebuild", "",
                     fmt::format("The index is being rebuilt, {} of {} events: reads by tag and counts are "
                                 "503 until then. It needs nothing but time.",
                                 status.index.done.value, status.index.total.value)});
  }
  if (status.projections) {
    for (const ProjectionStatus& projection : *status.projections) look_at_projection(projection, found);
  }
  return found;
}

}  // namespace cairn::api
