#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/base/work_budget.h"
#include "eventstore/event_store.h"
#include "projections/aggregates/aggregate.h"
#include "projections/aggregates/state.h"
#include "upcasters/chain/chain_uses.h"
#include "upcasters/shaping/shaper.h"

namespace cairn {

// Folds streams, one after the other, with one aggregate: begins with a valid snapshot, applies the events
// behind it in their newest shape, and returns the state. It keeps scripts loaded, so folds are reused
// (fold_pool.h). Not thread-safe: one thread at a time.
class StreamFold {
 public:
  // REQUIRES: `chains` outlives it.
  static ScriptResult<std::unique_ptr<StreamFold>> make(std::shared_ptr<const Aggregate> aggregate,
                                                        Chains& chains, LuaHost::Log log);

  // Picks up new schemas and upcasters. REQUIRES: called before each fold.
  void refresh();

  // Begins with the newest valid snapshot of the stream at or below `version`, or with the initial state.
  StateResult<void> begin(EventStore& store, const std::string& stream, StreamVersion version);

  // Begins with this snapshot if it is valid (nullopt), else returns why it is not.
  std::optional<SnapshotMiss> load(const SnapshotRecord& record);

  // Applies the events up to `version`. Fails with kCancelled or kBudgetExceeded when `budget` ends, unless it is
  // nullptr. REQUIRES: begin() was called with this version; the stream has it.
  StateResult<void> run_to(EventStore& store, StreamVersion version, WorkBudget* budget = nullptr);

  const Aggregate& aggregate() const { return *aggregate_; }
  StreamVersion version() const { return version_; }
  GlobalPosition position() const { return position_; }  // of the last event applied
  Timestamp recorded_at() const { return recorded_at_; }
  StreamVersion snapshot_version() const { return snapshot_version_; }  // 0: began at the first event
  std::uint64_t snapshot_bytes() const { return snapshot_bytes_; }
  std::uint64_t events_folded() const { return version_.value - snapshot_version_.value; }

  // Why the fold did not begin with the newest snapshot; nullopt when it did.
  std::optional<SnapshotMiss> miss() const { return miss_; }

  // Snapshots that are not valid any more: a caller that writes a new one may delete them.
  const std::vector<SnapshotKey>& unusable() const { return unusable_; }

  StateResult<void> append_json(std::string& to);

  // nullopt when the state cannot be saved or is too large.
  std::optional<SnapshotRecord> snapshot();

  // Whether a failed script left the state undefined, so that the fold should not be used again.
  bool is_broken() const { return broken_; }

 private:
  StreamFold(std::shared_ptr<const Aggregate> aggregate, std::unique_ptr<AggregateState> state,
             Chains& chains, LuaHost::Log log);

  StateResult<void> take(const EventView& event);
  static StateProblem problem_of(ShapeFault fault, const EventView& event);
  StateProblem problem_of(FoldFault fault, const EventView* event);

  std::shared_ptr<const Aggregate> aggregate_;
  std::unique_ptr<AggregateState> state_;
  Shaper shaper_;
  ChainUses uses_;
  std::string stream_;
  StreamVersion version_;
  GlobalPosition position_;
  Timestamp recorded_at_;
  StreamVersion snapshot_version_;
  std::uint64_t snapshot_bytes_ = 0;
  std::optional<SnapshotMiss> miss_;
  std::vector<SnapshotKey> unusable_;
  bool broken_ = false;
};

}  // namespace cairn
