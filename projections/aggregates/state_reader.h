#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "eventstore/event_store.h"
#include "projections/aggregates/aggregates.h"
#include "projections/aggregates/fold_pool.h"
#include "projections/aggregates/state.h"
#include "upcasters/event_shapes.h"

namespace cairn {

// Reads states. Any thread.
class StateReader {
 public:
  // Takes a snapshot that a read thought worth making, and those it is to replace.
  using Offer = std::function<void(SnapshotRecord snapshot, std::vector<SnapshotKey> drop)>;

  // Without `offer`, reads make no snapshots. REQUIRES: all outlive it.
  StateReader(EventStore& store, EventShapes& shapes, Aggregates& aggregates, LuaHost::Log log, Offer offer);

  StateOutcome state_at(std::string_view stream, const StateQuery& query);

  // Folds a stream up to a version with a fold on loan, and counts that. REQUIRES: the stream is as long.
  std::optional<StateProblem> fold(StreamFold& fold, const std::string& stream, StreamVersion version);

  // The aggregate of the stream's category and a fold for it, or why there is none.
  std::variant<FoldPool::Loan, StateProblem> lend(std::string_view stream);

  // The version of a stream that a query means.
  std::variant<StreamVersion, StateProblem> version_of(const std::string& stream, const StateQuery& query);

  // Grows when anything changes that states are made from.
  std::uint64_t changes() const { return shapes_.chains().changes() + aggregates_.changes(); }

  // A state could not be saved.
  void count_unsavable() { ++unsavable_; }
  StateStats stats() const;

 private:
  StateOutcome read(const std::string& stream, StreamVersion version);
  std::variant<StreamVersion, StateProblem> version_at(const StreamInfo& info, Timestamp time);

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
