#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "eventstore/base/work_budget.h"

namespace cairn::api {

// The body of an answer that is made while it is sent, piece by piece, so that it may be larger than memory
// or endless. Not thread-safe, except where a function says otherwise.
class BodySource {
 public:
  enum class Piece {
    kMore,    // call next() again at once
    kWait,    // nothing now; when_ready() tells when to call again
    kEnd,     // the body is complete
    kFailed,  // the body cannot be completed; its end is not sent, so that the client notices
  };

  virtual ~BodySource() = default;

  // Appends the next bytes, possibly none. A piece is about as large as a socket takes at once, because it
  // stays in memory until the client has received it. `budget` is what this piece may take: a source that works
  // for long charges it, returns what it has when the budget has ended, and continues in the next piece.
  // REQUIRES: neither kEnd nor kFailed was returned before.
  virtual Piece next(std::string& to, WorkBudget& budget) = 0;

  // Whether next() may read the disk or compute for long; then it runs on a worker.
  virtual bool may_take_long() const { return false; }

  // After kWait: calls `ready` once when next() may have more, from any thread, possibly from within this
  // call.
  virtual void when_ready(std::function<void()> ready) = 0;

  // After this returns, the callback of when_ready() does not run and will not run.
  virtual void stop_waiting() = 0;

  // Sent between two pieces every ServerLimits::heartbeat_interval, whatever else is sent, so that client and
  // server notice a lost connection. Empty: none.
  virtual std::string_view heartbeat() const = 0;
};

}  // namespace cairn::api
