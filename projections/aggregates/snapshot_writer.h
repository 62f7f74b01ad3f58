#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "eventstore/event_store.h"

namespace cairn {

// Writes snapshots from a thread of its own, several in one step. Whoever offers one does not wait: when
// there are too many already it is dropped, and the next read makes it again. Any thread.
class SnapshotWriter {
 public:
  // REQUIRES: `store` outlives it.
  explicit SnapshotWriter(EventStore& store);
  // Writes what is left.
  ~SnapshotWriter();
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  void offer(SnapshotRecord snapshot, std::vector<SnapshotKey> drop);

  // Waits until what was offered before is on disk, or given up; false when `timeout` passed first.
  bool settle(std::chrono::milliseconds timeout);

  std::uint64_t written() const { return written_.load(); }
  std::uint64_t dropped() const { return dropped_.load(); }

 private:
  static constexpr std::size_t kWaitingMax = 1'024;
  static constexpr std::size_t kWaitingBytesMax = 32u << 20;

  void run();

  EventStore& store_;
  std::atomic<std::uint64_t> written_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<SnapshotRecord> waiting_;
  std::vector<SnapshotKey> to_drop_;
  std::size_t waiting_bytes_ = 0;
  bool writing_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace cairn
