#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "eventstore/event_store.h"
#include "projections/aggregates/aggregate.h"
#include "projections/aggregates/state.h"
#include "upcasters/chain/chain_uses.h"
#include "upcasters/shaping/shaper.h"

namespace cairn {

// Folds one stream after the other with one aggregate: begins with a snapshot that counts, takes in the
// events behind it in their newest shape, and says what came out. Keeps scripts loaded, so whoever folds much
// keeps one (fold_pool.h). Belongs to one thread at a time.
class StreamFold {
 public:
  // REQUIRES: `chains` outlives it.
  static std::variant<std::unique_ptr<StreamFold>, ScriptError> make(
      std::shared_ptr<const Aggregate> aggregate, Chains& chains, LuaHost::Log log);

  // Takes notice of new schemas and upcasters. REQUIRES: before each fold.
  void refresh();

  // Begins with the newest snapshot of the stream at or below `version` that counts, or with nothing.
  std::optional<StateProblem> begin(EventStore& store, const std::string& stream, StreamVersion version);

  // Begins with this snapshot if it counts; or says why it does not.
  std::optional<SnapshotMiss> load(const SnapshotRecord& record);

  // Takes in the events up to `version`. REQUIRES: begin() with this version or one above; the stream is as
  // long.
  std::optional<StateProblem> run_to(EventStore& store, StreamVersion version);

  const Aggregate& aggregate() const { return *aggregate_; }
  StreamVersion version() const { return version_; }
  GlobalPosition position() const { return position_; }  // of the last event taken in
  Timestamp recorded_at() const { return recorded_at_; }
  StreamVersion snapshot_version() const { return snapshot_version_; }  // where it began
  std::uint64_t snapshot_bytes() const { return snapshot_bytes_; }
  std::uint64_t events_folded() const { return version_.value - snapshot_version_.value; }

  // Why the newest snapshot was not the one to begin with; nullopt when it was.
  std::optional<SnapshotMiss> miss() const { return miss_; }

  // The snapshots that were passed over: whoever keeps a new one may drop them.
  const std::vector<SnapshotKey>& unusable() const { return unusable_; }

  std::optional<StateProblem> append_json(std::string& to);

  // nullopt when the state cannot be saved or is too large.
  std::optional<SnapshotRecord> snapshot();

  // Whether a failure leaves it in doubt: it is better made anew.
  bool is_spent() const { return spent_; }

 private:
  StreamFold(std::shared_ptr<const Aggregate> aggregate, std::unique_ptr<AggregateState> state,
             Chains& chains, LuaHost::Log log);

  std::optional<StateProblem> take(const EventView& event);
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
  bool spent_ = false;
};

StateProblem store_problem(Error error);

}  // namespace cairn
