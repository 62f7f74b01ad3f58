#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eventstore/event_store.h"
#include "projections/generation/skipped_events.h"

namespace cairn {

inline constexpr std::string_view kAuditStream = "$audit";

// What people have done to projections, kept in $audit; and of that what decides about rows: which events are
// left out. docs/format.md shows the events. Any thread.
class ProjectionAudit {
 public:
  // REQUIRES: `store` outlives it.
  explicit ProjectionAudit(EventStore& store) : store_(store) {}

  // Takes notice of what was appended to $audit.
  Status catch_up();

  // Writes down that somebody had a projection rebuilt, paused and so on. `details` is a JSON object.
  Status note(std::string_view type, const std::string& details);

  struct Skip {
    std::string projection;
    std::string fingerprint;  // of the definition: another one may be able to apply the event
    ParkedPlace place;
    GlobalPosition position;
    std::string reason;
  };
  Status skip(const Skip& skip);

  // Never nullptr; it does not change.
  std::shared_ptr<const SkippedEvents> skipped(const std::string& projection,
                                               const std::string& fingerprint) const;

 private:
  using Definition = std::pair<std::string, std::string>;  // name and fingerprint

  Status apply(const EventView& stored);

  EventStore& store_;
  std::mutex catch_up_mutex_;
  std::uint64_t stream_version_ = 0;  // that was read last
  mutable std::mutex mutex_;
  std::map<Definition, std::shared_ptr<const SkippedEvents>> skipped_;
};

}  // namespace cairn
