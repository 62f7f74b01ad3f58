#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "eventstore/base/work_budget.h"
#include "eventstore/event_store.h"
#include "projections/aggregates/aggregates.h"
#include "projections/aggregates/fold_pool.h"
#include "projections/aggregates/state.h"
#include "upcasters/event_shapes.h"

namespace cairn {

// Reads states of streams. Thread-safe.
class StateReader {
 public:
  // Receives a snapshot that a read has made, and the keys of those it replaces. Must not block.
  using Offer = std::function<void(SnapshotRecord snapshot, std::vector<SnapshotKey> drop)>;

  // Without `offer`, reads make no snapshots. REQUIRES: the references outlive it.
  StateReader(EventStore& store, EventShapes& shapes, Aggregates& aggregates, LuaHost::Log log, Offer offer);

  StateResult<StreamState> state_at(std::string_view stream, const StateQuery& query, WorkBudget* budget);

  // Folds a stream up to a version with a leased fold, and updates the counters. REQUIRES: the stream has it.
  StateResult<void> fold(StreamFold& fold, const std::string& stream, StreamVersion version,
                         WorkBudget* budget = nullptr);

  // The aggregate of the stream's category and a fold for it, or why there is none.
  StateResult<FoldPool::Lease> lend(std::string_view stream);

  // The version of a stream that a query means.
  StateResult<StreamVersion> version_of(const std::string& stream, const StateQuery& query);

  // Grows with every change of an aggregate, an upcaster or a schema.
  std::uint64_t changes() const { return shapes_.chains().changes() + aggregates_.changes(); }

  // Counts a state that could not be saved.
  void count_unsavable() { ++unsavable_; }
  StateStats stats() const;

 private:
  StateResult<StreamState> read(const std::string& stream, StreamVersion version, WorkBudget* budget);
  StateResult<StreamVersion> version_at(const StreamInfo& info, Timestamp time);
  void offer_snapshot(StreamFold& fold);

  EventStore& store_;
  EventShapes& shapes_;
  Aggregates& aggregates_;
  FoldPool folds_;
  const Offer offer_;
  std::atomic<std::uint64_t> folded_{0};
  std::atomic<std::uint64_t> events_{0};
  std::atomic<std::uint64_t> hits_{0};
  std::atomic<std::uint64_t> unsavable_{0};
  std::array<std::atomic<std::uint64_t>, kSnapshotMisses> misses_{};
};

}  // namespace cairn
