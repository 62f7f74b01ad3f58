#include "projections/aggregates/snapshot_follower.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "eventstore/base/thread_priority.h"

namespace cairn {

namespace {

constexpr int kNice = 10;  // Writers and readers come first.

// What is looked through at once, so that the end of the store is never far.
constexpr std::uint64_t kPositionsAtOnce = 1u << 16;

// After news, more news are waited for: many appends then cost one look.
constexpr std::chrono::milliseconds kPause{20};

}  // namespace

SnapshotFollower::SnapshotFollower(EventStore& store, const Aggregates& aggregates, Due due)
    : store_(store), aggregates_(aggregates), due_(std::move(due)), seen_(store.head()) {
  thread_ = std::thread([this] { run(); });
}

SnapshotFollower::~SnapshotFollower() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool SnapshotFollower::wait_until(GlobalPosition position, std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, timeout, [&] { return seen_ >= position; });
}

void SnapshotFollower::run() {
  set_thread_niceness(kNice);
  while (wait_for_news()) {
    GlobalPosition after = seen_;  // Only this thread moves it.
    for (const GlobalPosition head = store_.head(); after < head;) {
      after = look(after);
      const std::lock_guard lock(mutex_);
      seen_ = after;
      changed_.notify_all();
      if (stopping_) return;
    }
  }
}

// False when it is time to end.
bool SnapshotFollower::wait_for_news() {
  const std::uint64_t ticket = store_.notify_at({seen_.value + 1}, [this] {
    const std::lock_guard lock(mutex_);
    news_ = true;
    changed_.notify_all();
  });
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return news_ || stopping_; });
  news_ = false;
  changed_.wait_for(lock, kPause, [this] { return stopping_; });
  const bool go_on = !stopping_;
  lock.unlock();
  store_.cancel_notify(ticket);
  return go_on;
}

// Looks through the next positions, and returns how far it came.
GlobalPosition SnapshotFollower::look(GlobalPosition after) {
  const GlobalPosition to{std::min(after.value + kPositionsAtOnce, store_.head().value)};
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
  // Damage in the log is for those to report who read it for others.
  if (!scanned) return to;
  for (const auto& [stream, version] : due) {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return to;
    }
    due_(stream, version);
  }
  return to;
}

}  // namespace cairn
