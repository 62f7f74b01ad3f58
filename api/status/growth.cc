#include "api/status/growth.h"

#include <algorithm>

namespace cairn::api {

Result<RecentEvents> recent_events(LogReader& log, Timestamp now) {
  const GlobalPosition head = log.head();
  if (head.value == 0) return RecentEvents{};
  const Timestamp since{now.micros - static_cast<std::int64_t>(kGrowthWindowSeconds * 1e6)};
  CAIRN_TRY(const GlobalPosition first, log.first_recorded_at(since));
  RecentEvents recent{.events = head.value + 1 - std::min(first.value, head.value + 1),
                      .seconds = kGrowthWindowSeconds};
  if (first.value > 1) return recent;
  CAIRN_TRY(const LogPage page, log.read_log({.from = GlobalPosition{1}, .limit = 1, .filter = {}}));
  if (!page.events.empty()) {
    const auto age = static_cast<double>(now.micros - page.events[0].recorded_at.micros) / 1e6;
    recent.seconds = std::clamp(age, 0.0, kGrowthWindowSeconds);
  }
  return recent;
}

Growth growth_of(const RecentEvents& recent, std::uint64_t head, std::uint64_t bytes,
                 std::uint64_t free_bytes) {
  if (head == 0 || recent.seconds < kGrowthSecondsMin) return {};
  const double bytes_per_event = static_cast<double>(bytes) / static_cast<double>(head);
  const double per_day = bytes_per_event * static_cast<double>(recent.events) * 24 * 3600 / recent.seconds;
  Growth growth{.bytes_per_day = static_cast<std::uint64_t>(per_day), .days_until_full = {}};
  if (per_day >= 1) growth.days_until_full = static_cast<double>(free_bytes) / per_day;
  return growth;
}

}  // namespace cairn::api
