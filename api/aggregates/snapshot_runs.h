#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api/http/progress_channel.h"
#include "api/http/worker_pool.h"
#include "eventstore/base/mutex.h"
#include "projections/aggregates/aggregate_states.h"

namespace cairn::api {

// A request for snapshots of all streams of a category.
struct SnapshotRunRequest {
  std::string category;
  std::shared_ptr<ProgressChannel> news;  // receives the progress; cancels the run when the client leaves

  // Called once with the outcome: from the thread that runs the request, or from the one that calls stop().
  std::function<void(const Result<SnapshotReport>& report)> done;
};

// The thread that makes snapshots of whole categories, one category at a time. A run may take minutes; reads
// and appends continue meanwhile. Thread-safe.
class SnapshotRuns {
 public:
  // REQUIRES: `states` outlives the runs.
  explicit SnapshotRuns(AggregateStates& states) : states_(states) {}
  ~SnapshotRuns() { stop(); }

  // False when the queue is full, or after stop(): then `done` is not called.
  bool submit(SnapshotRunRequest request);

  // Cancels the run under way, whose snapshots stay, and refuses waiting and later requests.
  void stop() CAIRN_EXCLUDES(mutex_);

 private:
  class Run;

  static constexpr WorkerPool::Options kRunning{.name = "cairn-snapshots", .threads = 1, .queue_max = 16};

  AggregateStates& states_;
  Mutex mutex_;
  bool stopping_ CAIRN_GUARDED_BY(mutex_) = false;
  std::shared_ptr<ProgressChannel> under_way_ CAIRN_GUARDED_BY(mutex_);  // of the run under way, if any
  WorkerPool worker_{kRunning};
};

}  // namespace cairn::api
