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

// What became of making snapshots of many streams.
struct SnapshotReport {
  std::uint64_t streams = 0;  // looked at
  std::uint64_t made = 0;
  std::uint64_t fresh = 0;      // had one at their head already
  std::uint64_t unsavable = 0;  // have a state that cannot be saved, or is too large
  std::uint64_t failed = 0;
  std::uint64_t events_folded = 0;
  bool cancelled = false;
  std::vector<SnapshotFailure> failures;  // the first ones, at most kSnapshotFailuresMax
};

inline constexpr std::size_t kSnapshotFailuresMax = 20;

struct SnapshotProgress {
  std::uint64_t done = 0;   // streams
  std::uint64_t total = 0;  // as they were counted at the beginning
  std::uint64_t events_folded = 0;
};

struct SnapshotAllOptions {
  unsigned threads = 2;
  // One durable step writes so many at most: its sync costs as much as thousands of folds, and what a killed
  // process has to do again should be little.
  std::size_t batch_snapshots = 4'096;
  std::function<void(const SnapshotProgress&)> progress = {};  // now and then, from one thread at a time
  const std::atomic<bool>* cancel = nullptr;                   // set it to end early
};

// A snapshot as it lies there.
struct SnapshotDescription {
  StreamVersion version;
  std::uint64_t bytes = 0;
  std::optional<SnapshotMiss> unusable = {};  // why it does not count; nullopt: it does
  GlobalPosition position = {};               // of the last event in it; 0 when it cannot be read
  Timestamp recorded_at = {};
};

// One snapshot made by hand.
struct SnapshotMade {
  StreamVersion version;
  bool fresh = false;  // it was there already
  std::uint64_t bytes = 0;
  std::uint64_t events_folded = 0;
};

}  // namespace cairn
