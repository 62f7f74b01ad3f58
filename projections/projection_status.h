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
  kRebuilding,  // a new generation is being built; the live one, if there is one, still answers queries
  kPaused,      // by an operator, or because too many keys are parked
  kFaulted,     // stopped until an operator acts; `reason` says why
  kStalled,     // behind the head, without progress for a while
};

std::string_view to_string(ProjectionState state);  // "running", …

// Progress of a generation that is being built.
struct RebuildStatus {
  std::uint64_t generation = 0;
  GlobalPosition position;
  GlobalPosition target;  // the head
  double events_per_second = 0;
  std::optional<double> eta_seconds;
  std::optional<std::uint64_t> events_per_second_max;  // rate limit
  std::uint64_t parked_keys = 0;
  std::uint64_t rows = 0;
  std::string holds;  // why it does not go live although it has caught up; empty: no reason
};

struct ProjectionError {
  std::string message;
  std::optional<GlobalPosition> position;
  Timestamp at;
};

struct ProjectionStatus {
  std::string name;
  ProjectionState state = ProjectionState::kRunning;
  std::string reason;       // of the state; may be empty
  GlobalPosition position;  // checkpoint of the live rows; 0 before there are any
  GlobalPosition head;
  std::uint64_t lag_events = 0;
  double lag_seconds = 0;        // age of the first event that is not in the rows; 0 without lag
  double events_per_second = 0;  // recent average
  std::uint64_t generation = 0;  // the live one; 0 while the first one is being built
  std::optional<std::uint64_t> previous_generation;  // target of a rollback
  std::optional<RebuildStatus> rebuild;
  std::uint64_t parked_keys = 0;
  std::uint64_t parked_events = 0;
  std::optional<double> oldest_parked_seconds;
  std::uint64_t retries = 0;  // of transient failures, since the start
  // By the live generation since it was begun: events with a handler whose key was nil. Read once each.
  std::uint64_t events_passed_over = 0;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::optional<ProjectionError> first_error;  // since the start, or the last rebuild
  std::optional<ProjectionError> last_error;
  std::string fingerprint;     // of the definition that made the live rows
  std::uint32_t revision = 0;  // of the newest definition; 0 for a native (C++) projection
  bool outdated = false;  // schemas or upcasters changed since the rows were made: a rebuild could differ
};

// One difference between the live rows and rows rebuilt from the log.
struct RowDifference {
  std::string key;
  std::optional<std::string> live;  // JSON; nullopt = no such row
  std::optional<std::string> rebuilt;
};

// Result of comparing a projection's live rows with rows rebuilt from the log.
struct RowsVerification {
  enum class Stage : std::uint8_t { kBuilding, kComparing, kDone, kFailed };
  Stage stage = Stage::kBuilding;
  GlobalPosition position;  // progress
  GlobalPosition target;
  std::uint64_t rows = 0;     // compared
  std::uint64_t missing = 0;  // rows that only the rebuild has
  std::uint64_t extra = 0;    // rows that only the live generation has
  std::uint64_t different = 0;
  std::vector<RowDifference> differences;  // the first 100, by key
  std::string error;                       // kFailed
  Timestamp started_at;
  double seconds = 0;

  bool is_equal() const { return stage == Stage::kDone && missing + extra + different == 0; }
};

std::string_view to_string(RowsVerification::Stage stage);  // "building", …

// A parked key: an event that could not be applied, and the later events of its key.
struct ParkedKey {
  std::string key;
  bool by_stream = false;  // `key` is a stream name: the event's key could not be determined
  std::uint64_t generation = 0;
  std::uint64_t events = 0;  // including the one that failed
  GlobalPosition position;   // of the one that failed
  std::string kind;
  std::string message;
  std::uint32_t line = 0;
  Timestamp parked_at;
  std::uint32_t retries = 0;
};

struct ParkedKeyDetail {
  ParkedKey parked;
  std::vector<GlobalPosition> positions;  // of the first 1,000 waiting events
};

}  // namespace cairn
