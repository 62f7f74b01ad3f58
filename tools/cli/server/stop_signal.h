#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "eventstore/base/mutex.h"

namespace cairn::cli {

// Why the server stops.
struct StopReason {
  bool fatal = false;
  std::string text;
};

// Waits for SIGTERM, SIGINT, or a fatal failure that another thread reports; and for SIGHUP where it means to
// reload.
//
// REQUIRES: it is made before any other thread: it blocks the signals, and new threads inherit the mask.
class StopSignal {
 public:
  // Without kHandled SIGHUP ends the process, as it does by default.
  enum class Hangup { kDefault, kHandled };
  explicit StopSignal(Hangup hangup = Hangup::kDefault);
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // Blocks until there is a reason to stop. Afterwards a further SIGTERM or SIGINT ends the process at once. For
  // each SIGHUP until then, also one that came before the call, calls `reload` on this thread; several that
  // come together count once.
  StopReason wait(const std::function<void()>& reload = {});

  // Makes wait() return with a fatal reason; the first one counts. Thread-safe, does not block.
  void report_fatal(std::string_view reason);

 private:
  int signals_ = -1;  // readable when a signal is pending
  int failure_ = -1;  // readable when a failure was reported
  Mutex mutex_;
  std::string failure_text_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn::cli
