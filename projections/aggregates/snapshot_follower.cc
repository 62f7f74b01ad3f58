#include "projections/aggregates/snapshot_follower.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace cairn {

namespace {

constexpr int kSnapshotNiceness = 10;  // Writers and readers go first.

// Positions scanned in one step. It bounds how long the destructor waits.
constexpr std::uint64_t kScanPositionsMax = 1u << 16;

// Wait after a notification, so that many appends cost one scan.
constexpr std::chrono::milliseconds kBatchDelay{20};

}  // namespace

SnapshotFollower::SnapshotFollower(EventStore& store, const Aggregates& aggregates, Due due)
    : store_(store), aggregates_(aggregates), due_(std::move(due)), processed_(store.head()) {
  thread_.start(
      {.name = "cairn-snapwatch", .niceness = kSnapshotNiceness, .wake = wake_all(mutex_, changed_)},
      [this, head = processed_](const std::stop_token& stop) { run(head, stop); });
}

bool SnapshotFollower::wait_until(GlobalPosition position, std::chrono::milliseconds timeout) {
  MutexLock lock(mutex_);
  return changed_.wait_for(lock, timeout, [&]() CAIRN_REQUIRES(mutex_) { return processed_ >= position; });
}

void SnapshotFollower::run(GlobalPosition after, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    wait_for_events(after, stop);
    const GlobalPosition head = store_.head();
    while (after < head && !stop.stop_requested()) {
      after = process_events(after, stop);
      const MutexLock lock(mutex_);
      processed_ = after;
      changed_.notify_all();
    }
  }
}

// Returns when the log has events behind `after`, or when stop is requested.
void SnapshotFollower::wait_for_events(GlobalPosition after, const std::stop_token& stop) {
  const std::uint64_t ticket = store_.notify_at({after.value + 1}, [this] {
    const MutexLock lock(mutex_);
    notified_ = true;
    changed_.notify_all();
  });
  {
    MutexLock lock(mutex_);
    changed_.wait(lock, [&]() CAIRN_REQUIRES(mutex_) { return notified_ || stop.stop_requested(); });
    notified_ = false;
    changed_.wait_for(lock, kBatchDelay, [&] { return stop.stop_requested(); });
  }
  store_.cancel_notify(ticket);
}

// Scans the positions behind `after`, at most kScanPositionsMax, and returns the last one.
GlobalPosition SnapshotFollower::process_events(GlobalPosition after, const std::stop_token& stop) {
  const GlobalPosition to{std::min(after.value + kScanPositionsMax, store_.head().value)};
  std::map<std::string, std::uint64_t, std::less<>> every;
  ScanQuery query{.from = {after.value + 1}, .to = to};
  for (const auto& aggregate : aggregates_.all()) {
    const AggregateInfo& info = aggregate->info();
    if (info.snapshot_every == 0) continue;
    every.emplace(info.category, info.snapshot_every);
    query.filter.categories.push_back(info.category);
  }
  if (every.empty()) return to;
  std::map<std::string, StreamVersion, std::less<>> due;
  const auto scanned = store_.scan(query, [&](const EventView& event) {
    const auto found = every.find(category_of(event.stream));
    if (found == every.end() || event.version.value % found->second != 0) return true;
    due.insert_or_assign(std::string(event.stream), event.version);
    return true;
  });
  // Corruption is not reported here: the reads that clients make report it.
  if (!scanned) return to;
  for (const auto& [stream, version] : due) {
    if (stop.stop_requested()) return to;
    due_(stream, version);
  }
  return to;
}

}  // namespace cairn
