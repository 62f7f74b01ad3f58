#pragma once

#include "api/aggregates/snapshot_runs.h"
#include "api/aggregates/state_workers.h"
#include "projections/aggregates/aggregate_states.h"

namespace cairn::api {

// The states of a server's streams, and the threads for what takes long with them. Any thread.
class AggregateService {
 public:
  // REQUIRES: `states` outlives it.
  explicit AggregateService(AggregateStates& states) : states_(states), runs_(states) {}

  AggregateStates& states() { return states_; }
  StateWorkers& workers() { return workers_; }
  SnapshotRuns& runs() { return runs_; }

  // Gives up or finishes what is under way, and refuses what waits or comes later. Whoever waits is told.
  void stop() {
    runs_.stop();
    workers_.stop();
  }

 private:
  AggregateStates& states_;
  StateWorkers workers_;
  SnapshotRuns runs_;
};

}  // namespace cairn::api
