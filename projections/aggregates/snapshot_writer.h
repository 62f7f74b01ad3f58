#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "eventstore/base/background_thread.h"
#include "eventstore/base/mutex.h"
#include "eventstore/event_store.h"

namespace cairn {

// Writes snapshots on a background thread, several in one commit. offer() never blocks: a snapshot that finds
// the queue full is dropped, and a later read of the stream makes it again. Thread-safe.
class SnapshotWriter {
 public:
  // REQUIRES: `store` outlives it.
  explicit SnapshotWriter(EventStore& store);
  // Writes the queued snapshots first.
  ~SnapshotWriter() = default;
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  // Queues a snapshot, and the keys of those to delete in the same commit.
  void offer(SnapshotRecord snapshot, std::vector<SnapshotKey> drop);

  // Waits until all snapshots offered so far are on disk or were dropped; false when `timeout` passed first.
  bool wait_until_written(std::chrono::milliseconds timeout);

  std::uint64_t written() const { return written_.load(); }
  std::uint64_t dropped() const { return dropped_.load(); }

 private:
  static constexpr std::size_t kQueuedMax = 1'024;
  static constexpr std::size_t kQueuedBytesMax = 32u << 20;

  void run(const std::stop_token& stop);

  EventStore& store_;
  std::atomic<std::uint64_t> written_{0};
  std::atomic<std::uint64_t> dropped_{0};
  Mutex mutex_;
  CondVar changed_;
  std::vector<SnapshotRecord> queued_ CAIRN_GUARDED_BY(mutex_);
  std::vector<SnapshotKey> to_drop_ CAIRN_GUARDED_BY(mutex_);
  std::size_t queued_bytes_ CAIRN_GUARDED_BY(mutex_) = 0;
  bool writing_ CAIRN_GUARDED_BY(mutex_) = false;
  BackgroundThread thread_;  // last: it uses the others
};

}  // namespace cairn
