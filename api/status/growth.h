#pragma once

#include <cstdint>
#include <optional>

#include "eventstore/base/result.h"
#include "eventstore/log_reader.h"

namespace cairn::api {

// How much of the log was written lately.
struct RecentEvents {
  std::uint64_t events = 0;
  double seconds = 0;  // over which they came
};

// How long "lately" is, and the shortest time that says anything about a day.
inline constexpr double kGrowthWindowSeconds = 24 * 3600;
inline constexpr double kGrowthSecondsMin = 3600;

// The events of the last 24 hours by the log's own times, or all of a younger log.
Result<RecentEvents> recent_events(LogReader& log, Timestamp now);

struct Growth {
  std::optional<std::uint64_t> bytes_per_day;  // nullopt while the log is too young to tell
  std::optional<double> days_until_full;       // nullopt when it does not grow, too
};

// How fast the disk fills: events of the average size of all, at the rate of the recent ones. `bytes` are those of
// `head` events, in the log and in the index. Pure.
Growth growth_of(const RecentEvents& recent, std::uint64_t head, std::uint64_t bytes,
                 std::uint64_t free_bytes);

}  // namespace cairn::api
