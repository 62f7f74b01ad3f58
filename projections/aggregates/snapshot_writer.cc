#include "projections/aggregates/snapshot_writer.h"

#include <utility>

namespace cairn {

SnapshotWriter::SnapshotWriter(EventStore& store) : store_(store), thread_([this] { run(); }) {}

SnapshotWriter::~SnapshotWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void SnapshotWriter::offer(SnapshotRecord snapshot, std::vector<SnapshotKey> drop) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kWaitingMax || waiting_bytes_ + snapshot.bytes.size() > kWaitingBytesMax) {
      ++dropped_;
      return;
    }
    waiting_bytes_ += snapshot.bytes.size();
    waiting_.push_back(std::move(snapshot));
    for (SnapshotKey& key : drop) to_drop_.push_back(std::move(key));
  }
  changed_.notify_all();
}

bool SnapshotWriter::settle(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, timeout, [this] { return waiting_.empty() && !writing_; });
}

void SnapshotWriter::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const auto snapshots = std::exchange(waiting_, {});
    const auto drop = std::exchange(to_drop_, {});
    waiting_bytes_ = 0;
    writing_ = true;
    lock.unlock();
    // A cache that cannot be written is no reason to complain: the counter tells, and reads go on without it.
    const Status status = store_.put_snapshots(snapshots, drop);
    (status ? written_ : dropped_) += snapshots.size();
    lock.lock();
    writing_ = false;
    changed_.notify_all();
  }
}

}  // namespace cairn
