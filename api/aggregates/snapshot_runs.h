#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "api/http/progress_feed.h"
#include "api/http/worker_thread.h"
#include "projections/aggregates/aggregate_states.h"

namespace cairn::api {

// All streams of a category are to get a snapshot.
struct SnapshotRunRequest {
  std::string category;
  std::shared_ptr<ProgressNews> news;  // gets how far it is; once nobody listens, the run is given up

  // Told what became of it, once: from the thread that does it, or from the one that stops the runs.
  std::function<void(const Result<SnapshotReport>& report)> done;
};

// The thread that makes snapshots of whole categories, which may take minutes: one category at a time, while
// everything else goes on. Any thread.
class SnapshotRuns {
 public:
  // REQUIRES: `states` outlives it.
  explicit SnapshotRuns(AggregateStates& states) : states_(states) {}
  ~SnapshotRuns() { stop(); }

  // False when too many wait already, or they were stopped: then `done` is not told.
  bool submit(SnapshotRunRequest request);

  // Gives up the run under way, whose snapshots stay, and refuses what waits or comes later.
  void stop();

 private:
  class Run;

  static constexpr std::size_t kWaitingMax = 16;

  AggregateStates& states_;
  std::mutex mutex_;
  bool stopping_ = false;
  std::shared_ptr<ProgressNews> under_way_;
  WorkerThread worker_{kWaitingMax};
};

}  // namespace cairn::api
