#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/event_store.h"
#include "projections/aggregates/snapshot_report.h"
#include "projections/aggregates/state_reader.h"

namespace cairn {

// Makes snapshots of all streams of a category, on several threads. Used once, by one thread.
class SnapshotJob {
 public:
  // REQUIRES: all outlive it.
  SnapshotJob(EventStore& store, StateReader& reader, std::string category, const SnapshotAllOptions& options)
      : store_(store), reader_(reader), category_(std::move(category)), options_(options) {}

  // Fails as the store does; what was made until then is kept.
  Result<SnapshotReport> run();

 private:
  // What one thread has made and not written yet.
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
  std::optional<Error> take(const StreamInfo& stream, Batch& batch);
  Status write(Batch& batch);
  void report(Batch& batch);
  bool should_end();

  EventStore& store_;
  StateReader& reader_;
  const std::string category_;
  const SnapshotAllOptions& options_;

  std::mutex mutex_;
  std::optional<std::string> after_ = "";  // nullopt: there are no more
  std::uint64_t total_ = 0;
  SnapshotReport report_;
  std::optional<Error> failure_;
};

}  // namespace cairn
