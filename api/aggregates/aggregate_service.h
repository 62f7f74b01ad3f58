#pragma once

#include "api/aggregates/snapshot_runs.h"
#include "api/http/answer_workers.h"
#include "projections/aggregates/aggregate_states.h"

namespace cairn::api {

// The states of a server's streams, and the threads for what takes long with them. Any thread.
class AggregateService {
 public:
  // REQUIRES: `states` outlives it.
  explicit AggregateService(AggregateStates& states) : states_(states), runs_(states) {}

  AggregateStates& states() { return states_; }
  AnswerWorkers& workers() { return workers_; }
  AnswerWorkers& deployments() { return deployments_; }
  SnapshotRuns& runs() { return runs_; }

  // Gives up or finishes what is under way, and refuses what waits or comes later. Whoever waits is told.
  void stop() {
    runs_.stop();
    deployments_.stop();
    workers_.stop();
  }

 private:
  // Threads that fold states: a long stream without a snapshot takes seconds. Two, because reads and appends
  // need the other processors. An entry of the queue is little more than the name of a stream.
  static constexpr WorkerPool::Options kFolding{.name = "cairn-state", .threads = 2, .queue_max = 128};

  // A thread that waits for the disk. Not one of those above: the aggregate that makes them slow must be
  // replaceable while it does. An entry of the queue is a script of at most 1 MiB.
  static constexpr WorkerPool::Options kDeploying{.name = "cairn-define", .threads = 1, .queue_max = 16};

  AggregateStates& states_;
  AnswerWorkers workers_{kFolding, "Too many states are asked for."};
  AnswerWorkers deployments_{kDeploying, "Too many aggregates wait to be deployed."};
  SnapshotRuns runs_;
};

}  // namespace cairn::api
