#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/base/mutex.h"
#include "eventstore/event_store.h"
#include "projections/aggregates/snapshot_report.h"
#include "projections/aggregates/state_reader.h"

namespace cairn {

// Makes snapshots of all streams of a category, on several threads. One run() by one thread.
class SnapshotJob {
 public:
  // REQUIRES: all outlive it.
  SnapshotJob(EventStore& store, StateReader& reader, std::string category, const SnapshotAllOptions& options)
      : store_(store), reader_(reader), category_(std::move(category)), options_(options) {}

  // Fails with the error of the store; snapshots written before the failure are kept.
  Result<SnapshotReport> run();

 private:
  // The snapshots that one worker has made and not written yet.
  struct Batch {
    std::vector<SnapshotRecord> snapshots;
    std::vector<SnapshotKey> drop;
    std::size_t bytes = 0;
    SnapshotReport counts;
  };

  Status count_streams();
  void work();
  Status work_off(Batch& batch);
  Result<std::vector<StreamInfo>> next_streams();
  Status take(const StreamInfo& stream, Batch& batch);
  StateResult<void> add_snapshot(const StreamInfo& stream, Batch& batch);
  Status write(Batch& batch);
  void report(Batch& batch);
  bool should_end();

  EventStore& store_;
  StateReader& reader_;
  const std::string category_;
  const SnapshotAllOptions& options_;

  std::uint64_t total_ = 0;  // streams, for the progress; set before the worker threads start

  Mutex mutex_;
  std::optional<std::string> after_ CAIRN_GUARDED_BY(mutex_) = "";  // the last stream taken; nullopt: the end
  SnapshotReport report_ CAIRN_GUARDED_BY(mutex_);
  std::optional<Error> failure_ CAIRN_GUARDED_BY(mutex_);  // of the first worker that failed
};

}  // namespace cairn
