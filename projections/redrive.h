#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/clock.h"
#include "eventstore/base/error.h"
#include "projections/readmodel/read_model.h"

namespace cairn {

// A redrive tries everything again that is parked in a projection, key by key, while the projection goes on
// with the log.

// How fast, and how far.
struct RedriveOptions {
  std::optional<std::uint64_t> keys_per_second;      // nullopt: as fast as it goes
  std::optional<std::uint64_t> stop_after_failures;  // keys that failed again; nullopt: never
  bool dry_run = false;                              // apply to copies of the rows, and keep nothing
};

enum class RedriveState : std::uint8_t {
  kRunning,
  kDone,       // every key was tried
  kStopped,    // as many keys failed as it may
  kCancelled,  // by a command, or by a change of the projection; `reason` says which
  kFailed,     // rows could not be read or written; `reason` says why
};

std::string_view to_string(RedriveState state);  // "running", …

struct RedriveReport {
  // As many failures are kept as this.
  static constexpr std::size_t kFailuresMax = 10;

  struct Failure {
    ParkedPlace place;
    std::uint64_t generation = 0;
    ParkedEvent event;
  };

  std::uint64_t id = 0;  // rises with each redrive of a projection since the start
  RedriveOptions options;
  RedriveState state = RedriveState::kRunning;
  std::string reason;             // of kStopped, kCancelled and kFailed
  Errc code = Errc::kCancelled;   // of kFailed
  std::uint64_t keys = 0;         // that were parked when it began
  std::uint64_t tried = 0;        // of those
  std::uint64_t released = 0;     // of those tried: no longer parked
  std::uint64_t failed = 0;       // the others of those tried
  std::uint64_t events = 0;       // applied
  std::vector<Failure> failures;  // the first
  Timestamp started_at;
  std::optional<Timestamp> ended_at;
};

}  // namespace cairn
