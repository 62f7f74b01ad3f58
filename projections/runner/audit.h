#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eventstore/base/mutex.h"
#include "eventstore/json/request_origin.h"
#include "eventstore/store_access.h"
#include "projections/generation/skipped_events.h"
#include "projections/redrive.h"

namespace cairn {

inline constexpr std::string_view kAuditStream = "$audit";

// The stream $audit: commands that operators have given to projections. One of them decides about rows: which
// events are skipped. docs/format.md shows the events. Thread-safe.
class ProjectionAudit {
 public:
  // REQUIRES: `store` outlives it.
  explicit ProjectionAudit(StoreAccess store) : store_(store) {}

  // Reads what was appended to $audit since the last call. kCorruption when an event there makes no sense.
  Status catch_up() CAIRN_EXCLUDES(catch_up_mutex_, mutex_);

  // Appends that a projection was rebuilt, paused and so on. `details` is a JSON object. Origin and outcome
  // (kOutcomeOk, …) go into the metadata.
  Status note(std::string_view type, const std::string& details, const RequestOrigin& origin,
              std::string_view outcome);

  // Appends that all that is parked is retried, and what came of it: with kOutcomeBegun, and with `report`.
  Status redrive_begun(const std::string& projection, const RedriveOptions& options,
                       const RequestOrigin& origin);
  Status redrive_ended(const std::string& projection, const RedriveReport& report,
                       const RequestOrigin& origin);

  struct Skip {
    std::string projection;
    std::string fingerprint;  // of the definition: another definition may be able to apply the event
    ParkedPlace place;
    GlobalPosition position;
    std::string reason;
    RequestOrigin origin = {};
  };
  Status skip(const Skip& skip);

  // The events that a definition skips. Never nullptr; a later skip makes another object (copy-on-write).
  std::shared_ptr<const SkippedEvents> skipped(const std::string& projection,
                                               const std::string& fingerprint) const CAIRN_EXCLUDES(mutex_);

 private:
  using Definition = std::pair<std::string, std::string>;  // name and fingerprint

  Status apply(const EventView& stored) CAIRN_REQUIRES(catch_up_mutex_) CAIRN_EXCLUDES(mutex_);

  const StoreAccess store_;
  Mutex catch_up_mutex_;                                                // taken before mutex_
  std::uint64_t stream_version_ CAIRN_GUARDED_BY(catch_up_mutex_) = 0;  // the last one read
  mutable Mutex mutex_;
  std::map<Definition, std::shared_ptr<const SkippedEvents>> skipped_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn
