#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "eventstore/base/clock.h"
#include "eventstore/types.h"
#include "projections/projection_status.h"
#include "projections/runner/event_rate.h"

namespace cairn {

// Which process applies events to a projection, as seen from this one.
enum class Builder : std::uint8_t { kThisProcess, kAnotherProcess, kNone };

// What the builder of a projection says about it: a snapshot, published after each step and each command.
// Another process's is made from the record it left on disk; speeds, retries and errors are unknown then.
struct RunnerView {
  std::string name;
  Builder builder = Builder::kThisProcess;
  bool definition_pending = false;  // another process has not applied the newest definition yet
  std::string fingerprint;          // of the definition that made the live rows
  std::uint32_t revision = 0;       // of the newest definition
  std::optional<std::uint64_t> previous;
  std::optional<std::uint64_t> events_per_second_max;
  std::optional<std::string> paused;  // why
  std::string fault;                  // why it cannot continue
  std::string retrying;               // the failure that is retried
  std::string holds;                  // why a build that has caught up does not take over
  EventRate live_rate;
  EventRate building_rate;
  Timestamp moved_at;  // when a position last advanced
  std::uint64_t retries = 0;
  std::optional<ProjectionError> first_error;
  std::optional<ProjectionError> last_error;
};

// One generation's read model when the status is asked for.
struct ReadModelFacts {
  std::uint64_t generation = 0;
  GlobalPosition position;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::uint64_t events_passed_over = 0;
  std::uint64_t parked_keys = 0;
  std::uint64_t parked_events = 0;
  std::optional<Timestamp> oldest_parked;
};

// The rest of what a status is made of, read when it is asked for.
struct StatusFacts {
  GlobalPosition head;  // read after the positions, so that none is ahead of it
  std::optional<ReadModelFacts> live;
  std::optional<ReadModelFacts> building;
  std::optional<Timestamp> next_event_at;  // when the first event that is not in the rows was appended
  bool outdated = false;
};

// The status of a projection. Pure: the same arguments give the same status, in the process that builds the
// rows as in one that only reads them.
ProjectionStatus status_of(const RunnerView& view, const StatusFacts& facts, Timestamp now,
                           std::chrono::milliseconds stalled_after);

}  // namespace cairn
