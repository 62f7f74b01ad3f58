#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/clock.h"
#include "eventstore/types.h"

namespace cairn {

enum class ProjectionState : std::uint8_t {
  kRunning,     // follows the log
  kRebuilding,  // a new generation is being built; the one before, if there is one, goes on answering
  kPaused,      // somebody paused it, or too many keys are parked
  kFaulted,     // cannot go on by itself; `reason` says why
  kStalled,     // behind, and has not moved for a while
};

std::string_view to_string(ProjectionState state);  // "running", …

// How far a generation under construction has come.
struct RebuildStatus {
  std::uint64_t generation = 0;
  GlobalPosition position;
  GlobalPosition target;  // the head
  double events_per_second = 0;
  std::optional<double> eta_seconds;
  std::optional<std::uint64_t> events_per_second_max;  // the throttle
  std::uint64_t parked_keys = 0;
  std::uint64_t rows = 0;
  std::string holds;  // why it does not take over although it has caught up; empty = it does not hold
};

struct ProjectionError {
  std::string message;
  std::optional<GlobalPosition> position;
  Timestamp at;
};

struct ProjectionStatus {
  std::string name;
  ProjectionState state = ProjectionState::kRunning;
  std::string reason;       // empty while there is nothing to say
  GlobalPosition position;  // through which the rows that are queried have the log; 0 before there are any
  GlobalPosition head;
  std::uint64_t lag_events = 0;
  double lag_seconds = 0;        // how old the first event is that is not in the rows; 0 without lag
  double events_per_second = 0;  // lately
  std::uint64_t generation = 0;  // that is queried; 0 while the first one is being built
  std::optional<std::uint64_t> previous_generation;  // that rollback leads to
  std::optional<RebuildStatus> rebuild;
  std::uint64_t parked_keys = 0;
  std::uint64_t parked_events = 0;
  std::optional<double> oldest_parked_seconds;
  std::uint64_t retries = 0;  // of what may succeed the next time, since the start
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::optional<ProjectionError> first_error;  // since the start, or the last rebuild
  std::optional<ProjectionError> last_error;
  std::string fingerprint;     // of the definition that made the rows that are queried
  std::uint32_t revision = 0;  // of the newest definition; 0 for one of the program's own
  bool outdated = false;  // schemas or upcasters have changed since rows were made: a rebuild could differ
};

// One difference between rows that are queried and rows built anew.
struct RowDifference {
  std::string key;
  std::optional<std::string> live;  // JSON; nullopt = no such row
  std::optional<std::string> rebuilt;
};

// What comparing a projection's rows with rows built from the log has shown.
struct RowsVerification {
  enum class Stage : std::uint8_t { kBuilding, kComparing, kDone, kFailed };
  Stage stage = Stage::kBuilding;
  GlobalPosition position;  // built or compared up to here
  GlobalPosition target;
  std::uint64_t rows = 0;     // compared
  std::uint64_t missing = 0;  // rows that should be there
  std::uint64_t extra = 0;    // rows that should not
  std::uint64_t different = 0;
  std::vector<RowDifference> differences;  // the first 100, by key
  std::string error;                       // kFailed
  Timestamp started_at;
  double seconds = 0;

  bool is_equal() const { return stage == Stage::kDone && missing + extra + different == 0; }
};

std::string_view to_string(RowsVerification::Stage stage);  // "building", …

// Events of a projection that wait because one could not be applied.
struct ParkedKey {
  std::string key;
  bool by_stream = false;  // `key` is a stream: the event's key could not be known
  std::uint64_t generation = 0;
  std::uint64_t events = 0;  // with the one that failed
  GlobalPosition position;   // of the one that failed
  std::string kind;
  std::string message;
  std::uint32_t line = 0;
  Timestamp parked_at;
  std::uint32_t retries = 0;
};

struct ParkedKeyDetail {
  ParkedKey parked;
  std::vector<GlobalPosition> positions;  // the first 1,000 that wait
};

}  // namespace cairn
