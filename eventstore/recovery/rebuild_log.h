#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "eventstore/base/clock.h"
#include "eventstore/base/log_event.h"
#include "eventstore/types.h"

namespace cairn {

// The lines about an index that is built from the log: its beginning, the progress every kEvery, and its end.
// One thread at a time.
class RebuildLog {
 public:
  static constexpr std::chrono::seconds kEvery{10};

  // REQUIRES: `sink` and `clock` outlive it.
  RebuildLog(const LogSink& sink, const Clock& clock) : sink_(sink), clock_(clock) {}

  bool is_running() const { return began_.has_value(); }

  // `why` is a sentence without its point. The events from `done` to `total` are read. REQUIRES: !is_running().
  void begin(const std::string& why, GlobalPosition done, GlobalPosition total);
  // Nothing when it is not running, or the last line is not old enough.
  void progress(GlobalPosition done);
  // Nothing when it is not running.
  void end();

 private:
  std::chrono::milliseconds since(Timestamp time) const;

  const LogSink& sink_;
  const Clock& clock_;
  std::optional<Timestamp> began_;
  Timestamp last_line_;
  GlobalPosition from_;
  GlobalPosition total_;
};

}  // namespace cairn
