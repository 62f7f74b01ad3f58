#include "projections/aggregates/snapshot_writer.h"

#include <utility>

namespace cairn {

SnapshotWriter::SnapshotWriter(EventStore& store) : store_(store) {
  thread_.start({.name = "cairn-snapwrite", .wake = wake_all(mutex_, changed_)},
                [this](const std::stop_token& stop) { run(stop); });
}

void SnapshotWriter::offer(SnapshotRecord snapshot, std::vector<SnapshotKey> drop) {
  {
    const MutexLock lock(mutex_);
    if (queued_.size() >= kQueuedMax || queued_bytes_ + snapshot.bytes.size() > kQueuedBytesMax) {
      ++dropped_;
      return;
    }
    queued_bytes_ += snapshot.bytes.size();
    queued_.push_back(std::move(snapshot));
    for (SnapshotKey& key : drop) to_drop_.push_back(std::move(key));
  }
  changed_.notify_all();
}

bool SnapshotWriter::wait_until_written(std::chrono::milliseconds timeout) {
  MutexLock lock(mutex_);
  return changed_.wait_for(lock, timeout,
                           [this]() CAIRN_REQUIRES(mutex_) { return queued_.empty() && !writing_; });
}

void SnapshotWriter::run(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&]() CAIRN_REQUIRES(mutex_) { return stop.stop_requested() || !queued_.empty(); });
    if (queued_.empty()) return;
    const auto snapshots = std::exchange(queued_, {});
    const auto drop = std::exchange(to_drop_, {});
    queued_bytes_ = 0;
    writing_ = true;
    lock.unlock();
    // Snapshots are a cache: a failed write is counted and not reported, because reads work without them.
    const Status status = store_.put_snapshots(snapshots, drop);
    (status ? written_ : dropped_) += snapshots.size();
    lock.lock();
    writing_ = false;
    changed_.notify_all();
  }
}

}  // namespace cairn
