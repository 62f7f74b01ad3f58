#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/work_budget.h"
#include "eventstore/event_store.h"
#include "projections/aggregates/aggregates.h"
#include "projections/aggregates/snapshot_report.h"
#include "projections/aggregates/state.h"
#include "upcasters/event_shapes.h"

namespace cairn {

class SnapshotFollower;
class SnapshotWriter;
class StateReader;

struct AggregateStatesOptions {
  // Whether snapshots are made automatically: after reads that folded many events, and of growing streams.
  enum class Automatic : bool { kNo, kYes };
  Automatic automatic = Automatic::kYes;
  LuaHost::Log log = {};  // receives the log output of scripts
};

// The states of the streams of one event store: the aggregates, reads of states at any version or time, and
// the snapshots that make these reads fast. Thread-safe.
//
// Invariants:
//  1. A state read with snapshots equals the state folded from the first event on, provided that the script
//     keeps all it remembers in the state.
//  2. A snapshot is used only with the aggregate, the upcasters and the schemas it was made with. Any other
//     snapshot, and a damaged one, is ignored: it causes neither an error nor a stale state.
//  3. Nothing here waits for appends, and no append waits for it.
class AggregateStates {
 public:
  // Reads the definitions of the store. Fails as Aggregates::catch_up() does. REQUIRES: all outlive it.
  static Result<std::unique_ptr<AggregateStates>> open(EventStore& store, EventShapes& shapes,
                                                       AggregateStatesOptions options = {});
  // Stops the background threads. Folds under way are given up; queued snapshots are written first.
  ~AggregateStates();

  Aggregates& aggregates() { return aggregates_; }

  // Fails with kCancelled or kBudgetExceeded (StateProblem::kStore) when `budget` ends, unless it is nullptr.
  StateResult<StreamState> state_at(std::string_view stream, const StateQuery& query,
                                    WorkBudget* budget = nullptr);

  // Makes a snapshot at the head of the stream, unless a valid one exists. Returns when it is on disk.
  // A state that cannot be saved is a problem of kind kScript. `budget` as with state_at().
  StateResult<SnapshotMade> snapshot_stream(std::string_view stream, WorkBudget* budget = nullptr);

  // The same for all streams of a category. Streams with a valid snapshot at their head are skipped, so an
  // interrupted run continues where it stopped. A stream that fails does not end the run; an error of the
  // store does. kNotFound when the category has no aggregate.
  Result<SnapshotReport> snapshot_all(const std::string& category, const SnapshotAllOptions& options = {});

  // The snapshots of a stream in ascending order, and whether each is valid now.
  Result<std::vector<SnapshotDescription>> snapshots(std::string_view stream);

  // Deletes all but the newest `keep` snapshots of a stream and returns how many it deleted.
  Result<std::uint64_t> prune(std::string_view stream, std::uint64_t keep) {
    return store_.prune_snapshots(stream, keep);
  }

  // Waits until the automatic snapshots of all events appended so far are on disk; false when `timeout`
  // passed first.
  bool wait_for_snapshots(std::chrono::milliseconds timeout);

  StateStats stats() const;

 private:
  AggregateStates(EventStore& store, EventShapes& shapes, const AggregateStatesOptions& options);
  void on_due(const std::string& stream, StreamVersion version);

  EventStore& store_;
  std::atomic<bool> stopping_ = false;
  Aggregates aggregates_;
  std::unique_ptr<SnapshotWriter> writer_;
  std::unique_ptr<StateReader> reader_;
  std::unique_ptr<SnapshotFollower> follower_;
};

}  // namespace cairn
