#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "eventstore/base/result.h"
#include "eventstore/types.h"
#include "upcasters/lua/script_error.h"
#include "upcasters/model/shape_fault.h"

namespace cairn {

// Which state of a stream: at its head, at a version, or as of a time.
struct StateQuery {
  enum class Kind : std::uint8_t { kHead, kVersion, kTime };
  Kind kind = Kind::kHead;
  StreamVersion version = {};
  Timestamp time = {};

  static StateQuery head() { return {}; }
  static StateQuery at_version(StreamVersion version) { return {Kind::kVersion, version, {}}; }
  // After all events recorded at or before `time`.
  static StateQuery at_time(Timestamp time) { return {Kind::kTime, {}, time}; }
};

// The state of a stream after `version` of its events.
struct StreamState {
  std::string stream;
  StreamVersion version;
  GlobalPosition position;  // of that event
  Timestamp recorded_at;    // of that event
  std::string json;         // on one line; the same text for the same state
  std::string fingerprint;  // of the aggregate

  StreamVersion snapshot_version;  // where the fold began; 0 = at the first event
  std::uint64_t events_folded = 0;
};

// Why there is no state.
struct StateProblem {
  enum class Kind : std::uint8_t {
    kNoAggregate,  // the category has no aggregate
    kNoStream,
    kNoVersion,    // the stream does not have that version
    kBeforeFirst,  // the time is before the stream's first event
    kInvalid,      // invalid request: version 0
    kShape,        // an event cannot be brought to its newest version: `shape`
    kScript,       // the aggregate's script failed: `script`
    kStore,        // the store failed: `error`
  };
  Kind kind = Kind::kStore;
  std::string message;  // human-readable

  std::optional<ShapeFault> shape = {};
  std::optional<ScriptError> script = {};
  std::optional<Error> error = {};
  GlobalPosition position = {};  // of the event it failed on; 0 = none
  StreamVersion version = {};    // of that event; for kNoVersion the head of the stream
};

template <typename T>
using StateResult = Result<T, StateProblem>;

// The store failed, which says nothing about the stream.
inline StateProblem convert_error(ErrorKind<StateProblem>, Error error) {
  StateProblem problem{.kind = StateProblem::Kind::kStore, .message = error.message};
  problem.error = std::move(error);
  return problem;
}

inline StateProblem convert_error(ErrorKind<StateProblem>, ScriptError error) {
  StateProblem problem{.kind = StateProblem::Kind::kScript, .message = error.text()};
  problem.script = std::move(error);
  return problem;
}

// Why a read did not begin with the newest snapshot at or below the wanted version.
enum class SnapshotMiss : std::uint8_t {
  kNone,       // there is none
  kAggregate,  // it was made by another aggregate
  kShapes,     // upcasters or schemas have changed since
  kDamaged,    // its checksum does not match, or it cannot be decoded
};
inline constexpr std::size_t kSnapshotMisses = 4;

// The name of a reason in the API and in metrics.
inline const char* to_string(SnapshotMiss miss) {
  switch (miss) {
    case SnapshotMiss::kNone:
      return "none";
    case SnapshotMiss::kAggregate:
      return "aggregate";
    case SnapshotMiss::kShapes:
      return "shapes";
    case SnapshotMiss::kDamaged:
      return "damaged";
  }
  return "";
}

// Counters since the start of the process.
struct StateStats {
  std::uint64_t folds = 0;
  std::uint64_t events_folded = 0;
  std::uint64_t snapshot_hits = 0;
  std::uint64_t snapshot_misses[kSnapshotMisses] = {};  // by SnapshotMiss
  std::uint64_t snapshots_written = 0;
  std::uint64_t snapshots_dropped = 0;    // the queue was full, or the write failed
  std::uint64_t snapshots_unsavable = 0;  // states that cannot be saved, or are too large
};

}  // namespace cairn
