#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "eventstore/base/error.h"
#include "eventstore/types.h"
#include "upcasters/lua/script_error.h"
#include "upcasters/model/shape_fault.h"

namespace cairn {

// Which state of a stream: after all its events, after its first ones, or as it was known at a time.
struct StateQuery {
  enum class Kind : std::uint8_t { kHead, kVersion, kTime };
  Kind kind = Kind::kHead;
  StreamVersion version = {};
  Timestamp time = {};

  static StateQuery head() { return {}; }
  static StateQuery at_version(StreamVersion version) { return {Kind::kVersion, version, {}}; }
  // After the events recorded at or before `time`. Of several recorded at that moment, all count.
  static StateQuery at_time(Timestamp time) { return {Kind::kTime, {}, time}; }
};

// The state of a stream after `version` of its events.
struct StreamState {
  std::string stream;
  StreamVersion version;
  GlobalPosition position;  // of that event
  Timestamp recorded_at;    // of that event
  std::string json;         // on one line; the same state is always the same text
  std::string fingerprint;  // of the aggregate

  StreamVersion snapshot_version;  // where the fold began; 0 = at the first event
  std::uint64_t events_folded = 0;
};

// Why there is no state.
struct StateProblem {
  enum class Kind : std::uint8_t {
    kNoAggregate,  // the category has none
    kNoStream,
    kNoVersion,    // the stream is not that long
    kBeforeFirst,  // the time is before the stream's first event
    kInvalid,      // the request means nothing: version 0
    kShape,        // an event cannot be brought into its newest shape: `shape`
    kScript,       // the aggregate's script failed: `script`
    kStore,        // `error` is what the store said
  };
  Kind kind = Kind::kStore;
  std::string message;  // for people, with names and numbers

  std::optional<ShapeFault> shape = {};
  std::optional<ScriptError> script = {};
  std::optional<Error> error = {};
  GlobalPosition position = {};  // of the event it failed on; 0 = none
  StreamVersion version = {};    // of that event; kNoVersion: how long the stream is
};

using StateOutcome = std::variant<StreamState, StateProblem>;

// Why a read did not begin with the newest snapshot at or below what it wanted.
enum class SnapshotMiss : std::uint8_t {
  kNone,       // there is none
  kAggregate,  // it was made by another aggregate
  kShapes,     // upcasters or schemas have changed since
  kDamaged,    // its bytes are not what was written, or cannot be read
};
inline constexpr std::size_t kSnapshotMisses = 4;

// The name of a reason, as answers and metrics have it.
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

// What was done since the start. Counters only grow.
struct StateStats {
  std::uint64_t folds = 0;
  std::uint64_t events_folded = 0;
  std::uint64_t snapshot_hits = 0;
  std::uint64_t snapshot_misses[kSnapshotMisses] = {};  // by SnapshotMiss
  std::uint64_t snapshots_written = 0;
  std::uint64_t snapshots_dropped = 0;    // the queue was full, or the store refused them
  std::uint64_t snapshots_unsavable = 0;  // states that cannot be saved, or are too large
};

}  // namespace cairn
