#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "eventstore/event_store.h"
#include "projections/aggregates/aggregates.h"

namespace cairn {

// Watches the log from a thread of its own, and says when a stream has passed a multiple of its aggregate's
// snapshot_every. It begins at the head: what passed by before, reads notice. Any thread.
class SnapshotFollower {
 public:
  // Called on the follower's thread, with the last multiple the stream has passed.
  using Due = std::function<void(const std::string& stream, StreamVersion version)>;

  // REQUIRES: all outlive it.
  SnapshotFollower(EventStore& store, const Aggregates& aggregates, Due due);
  ~SnapshotFollower();
  SnapshotFollower(const SnapshotFollower&) = delete;
  SnapshotFollower& operator=(const SnapshotFollower&) = delete;

  // Waits until it has seen the log up to a position; false when `timeout` passed first.
  bool wait_until(GlobalPosition position, std::chrono::milliseconds timeout);

 private:
  void run();
  bool wait_for_news();
  GlobalPosition look(GlobalPosition after);

  EventStore& store_;
  const Aggregates& aggregates_;
  const Due due_;
  std::mutex mutex_;
  std::condition_variable changed_;
  GlobalPosition seen_;
  bool news_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace cairn
