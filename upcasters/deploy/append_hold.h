#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/mutex.h"

namespace cairn {

// Keeps new appends of some event types waiting while a deployment verifies the events that are already
// stored, so that a deployment under constant load ends. No promise rests on it: the condition in the
// deployment's append (no_events_behind()) decides. Thread-safe.
class AppendHold {
 public:
  // Whether appends of any type wait. One atomic load.
  bool active() const { return active_.load(std::memory_order_acquire); }

  // When appends of one of `types` wait: keeps `then`, which the thread that ends the hold calls once, and
  // returns true. Otherwise false. `then` must not block.
  bool wait(const std::vector<std::string_view>& types, std::function<void()> then) CAIRN_EXCLUDES(mutex_);

  // Holds the appends of these types for at most `time_max`, if end_if_over() is called that often. Nothing
  // when a hold is active.
  void begin(std::vector<std::string> types, std::chrono::milliseconds time_max) CAIRN_EXCLUDES(mutex_);

  // Ends the hold whose time is over. One atomic load when there is none.
  void end_if_over() CAIRN_EXCLUDES(mutex_);

  // Ends the hold, if there is one, and lets the appends go on.
  void end() CAIRN_EXCLUDES(mutex_);

 private:
  using Clock = std::chrono::steady_clock;

  std::atomic<bool> active_ = false;
  Mutex mutex_;
  std::vector<std::string> types_ CAIRN_GUARDED_BY(mutex_);
  Clock::time_point over_at_ CAIRN_GUARDED_BY(mutex_);
  std::vector<std::function<void()>> waiting_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn
