#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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
  // Whether snapshots are made by themselves: after reads that folded many events, and of streams that grow.
  enum class Automatic : bool { kNo, kYes };
  Automatic automatic = Automatic::kYes;
  LuaHost::Log log = {};  // gets what scripts say
};

// The states of the streams of one event store: aggregates, reads of states at any version or time, and the
// snapshots that make them quick. Any thread.
//
// What holds:
//  1. A state read with snapshots is the state folded from the first event on, as long as scripts keep what
//  they
//     remember in the state.
//  2. A snapshot counts only for the aggregate, the upcasters and the schemas it was made with. Anything
//  else, or
//     damage, makes it as if it were not there: never an error, never a stale state.
//  3. Nothing here waits for appends, and no append waits for it.
class AggregateStates {
 public:
  // Reads the definitions of the store. Fails as Aggregates::catch_up() does. REQUIRES: all outlive it.
  static Result<std::unique_ptr<AggregateStates>> open(EventStore& store, EventShapes& shapes,
                                                       AggregateStatesOptions options = {});
  // Ends what is under way; snapshots that wait to be written are written.
  ~AggregateStates();

  Aggregates& aggregates() { return aggregates_; }

  StateOutcome state_at(std::string_view stream, const StateQuery& query);

  // Makes a snapshot at the head of the stream, unless there is one that counts. Returns when it is on disk.
  // A state that cannot be saved is a problem of kind kScript.
  std::variant<SnapshotMade, StateProblem> snapshot_stream(std::string_view stream);

  // The same for all streams of a category. Those with a snapshot at their head that counts are passed over,
  // so one that was interrupted goes on where it was. Streams that fail do not stop it; a store that fails
  // does. kNotFound when the category has no aggregate.
  Result<SnapshotReport> snapshot_all(const std::string& category, const SnapshotAllOptions& options = {});

  // The snapshots of a stream, rising, with what they are worth now.
  Result<std::vector<SnapshotDescription>> snapshots(std::string_view stream);

  // Forgets all but the newest `keep` of a stream, and says how many those were.
  Result<std::uint64_t> prune(std::string_view stream, std::uint64_t keep) {
    return store_.prune_snapshots(stream, keep);
  }

  // Waits until what was to be snapshotted by itself so far is on disk; false when `timeout` passed first.
  bool settle(std::chrono::milliseconds timeout);

  StateStats stats() const;

 private:
  AggregateStates(EventStore& store, EventShapes& shapes, const AggregateStatesOptions& options);
  void on_due(const std::string& stream, StreamVersion version);

  EventStore& store_;
  Aggregates aggregates_;
  std::unique_ptr<SnapshotWriter> writer_;
  std::unique_ptr<StateReader> reader_;
  std::unique_ptr<SnapshotFollower> follower_;
};

}  // namespace cairn
