#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "eventstore/base/background_thread.h"
#include "eventstore/base/mutex.h"
#include "eventstore/event_store.h"
#include "projections/aggregates/aggregates.h"

namespace cairn {

// Follows the log on a background thread and reports each stream that has passed a multiple of its
// aggregate's snapshot_every. It starts at the head; for older events, reads make the snapshots. Thread-safe.
class SnapshotFollower {
 public:
  // Called on the follower's thread, with the last multiple that the stream has passed.
  using Due = std::function<void(const std::string& stream, StreamVersion version)>;

  // REQUIRES: all outlive it.
  SnapshotFollower(EventStore& store, const Aggregates& aggregates, Due due);
  ~SnapshotFollower() = default;
  SnapshotFollower(const SnapshotFollower&) = delete;
  SnapshotFollower& operator=(const SnapshotFollower&) = delete;

  // Waits until it has processed the log up to a position; false when `timeout` passed first.
  bool wait_until(GlobalPosition position, std::chrono::milliseconds timeout);

 private:
  void run(GlobalPosition after, const std::stop_token& stop);
  void wait_for_events(GlobalPosition after, const std::stop_token& stop);
  GlobalPosition process_events(GlobalPosition after, const std::stop_token& stop);

  EventStore& store_;
  const Aggregates& aggregates_;
  const Due due_;
  Mutex mutex_;
  CondVar changed_;
  GlobalPosition processed_ CAIRN_GUARDED_BY(mutex_);
  bool notified_ CAIRN_GUARDED_BY(mutex_) = false;
  BackgroundThread thread_;  // last: it uses the others
};

}  // namespace cairn
