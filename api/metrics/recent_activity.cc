#include "api/metrics/recent_activity.h"

#include <algorithm>
#include <cmath>

#include "eventstore/base/assert.h"

namespace cairn::api {

namespace {

constexpr double kBucketsPerOctave = 4;

std::size_t bucket_of(std::chrono::nanoseconds took, std::size_t buckets) {
  const double micros = std::chrono::duration<double, std::micro>(took).count();
  if (micros <= 1) return 0;
  return std::min(static_cast<std::size_t>(std::ceil(std::log2(micros) * kBucketsPerOctave)), buckets - 1);
}

double upper_bound_seconds(std::size_t bucket) {
  return std::exp2(static_cast<double>(bucket) / kBucketsPerOctave) / 1e6;
}

}  // namespace

void RecentActivity::committed(Time now, std::uint64_t events, std::uint64_t appends,
                               std::chrono::nanoseconds took) {
  const std::int64_t number = second_of(now);
  Second& second = seconds_[static_cast<std::size_t>(number) % kSecondsMax];
  if (second.second != number) second = {.second = number};
  second.events += events;
  second.appends += appends;
  ++second.commits;
  second.took += took;
  ++second.by_duration[bucket_of(took, kBuckets)];
}

RecentActivity::Summary RecentActivity::last(std::size_t seconds, Time now) const {
  CAIRN_ASSERT(seconds > 0 && seconds <= kSecondsMax, seconds);
  const std::int64_t to = second_of(now);
  const std::int64_t from = std::max(to - static_cast<std::int64_t>(seconds) + 1, started_);
  Second sum;
  for (const Second& second : seconds_) {
    if (second.second < from || second.second > to) continue;
    sum.events += second.events;
    sum.appends += second.appends;
    sum.commits += second.commits;
    sum.took += second.took;
    for (std::size_t i = 0; i < kBuckets; ++i) sum.by_duration[i] += second.by_duration[i];
  }
  const auto length = static_cast<double>(std::max<std::int64_t>(to - from + 1, 1));
  Summary summary{.events_per_second = static_cast<double>(sum.events) / length,
                  .appends_per_second = static_cast<double>(sum.appends) / length,
                  .commits = sum.commits,
                  .commit_mean_seconds = {},
                  .commit_p99_seconds = {}};
  if (sum.commits == 0) return summary;
  summary.commit_mean_seconds =
      std::chrono::duration<double>(sum.took).count() / static_cast<double>(sum.commits);
  const std::uint64_t wanted = sum.commits - sum.commits / 100;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen += sum.by_duration[i];
    if (seen < wanted) continue;
    summary.commit_p99_seconds = upper_bound_seconds(i);
    break;
  }
  return summary;
}

}  // namespace cairn::api
