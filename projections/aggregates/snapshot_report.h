#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "projections/aggregates/state.h"

namespace cairn {

struct SnapshotFailure {
  std::string stream;
  StateProblem problem;
};

// Result of making snapshots of all streams of a category.
struct SnapshotReport {
  std::uint64_t streams = 0;  // processed
  std::uint64_t made = 0;
  std::uint64_t fresh = 0;      // had a valid snapshot at their head
  std::uint64_t unsavable = 0;  // state cannot be saved, or is too large
  std::uint64_t failed = 0;
  std::uint64_t events_folded = 0;
  bool cancelled = false;
  std::vector<SnapshotFailure> failures;  // the first ones, at most kSnapshotFailuresMax
};

inline constexpr std::size_t kSnapshotFailuresMax = 20;

struct SnapshotProgress {
  std::uint64_t done = 0;   // streams
  std::uint64_t total = 0;  // counted at the start
  std::uint64_t events_folded = 0;
};

struct SnapshotAllOptions {
  unsigned threads = 2;
  // Snapshots per commit, at most. A sync costs as much as thousands of folds; a small batch bounds the work
  // that a killed process has to repeat.
  std::size_t batch_snapshots = 4'096;
  std::function<void(const SnapshotProgress&)> progress =
      {};                                     // called from time to time, by one thread at a time
  const std::atomic<bool>* cancel = nullptr;  // set it to end early
};

// A stored snapshot.
struct SnapshotDescription {
  StreamVersion version;
  std::uint64_t bytes = 0;
  std::optional<SnapshotMiss> unusable = {};  // why it is not valid; nullopt: it is
  GlobalPosition position = {};               // of the last event in it; 0 when it cannot be read
  Timestamp recorded_at = {};
};

// Result of AggregateStates::snapshot_stream().
struct SnapshotMade {
  StreamVersion version;
  bool fresh = false;  // a valid one existed already
  std::uint64_t bytes = 0;
  std::uint64_t events_folded = 0;
};

}  // namespace cairn
