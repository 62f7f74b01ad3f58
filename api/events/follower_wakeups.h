#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>

#include "eventstore/base/background_thread.h"
#include "eventstore/base/mutex.h"
#include "eventstore/event_store.h"

namespace cairn::api {

// Wakes the followers that wait for new events, with one thread for all of them. The thread has at most one
// notification registered with the store, however many followers wait, and the more followers wait the less
// often it wakes them: followers must not slow appends down. Thread-safe.
class FollowerWakeups {
 public:
  FollowerWakeups() = default;
  FollowerWakeups(const FollowerWakeups&) = delete;
  FollowerWakeups& operator=(const FollowerWakeups&) = delete;

  // start() and stop() belong to one thread. REQUIRES: it does not run; `store` lives until stop() has
  // returned.
  void start(EventStore& store) CAIRN_EXCLUDES(mutex_);
  // After stop(), wake_at() only registers, as before start(), and does not touch the store.
  void stop() CAIRN_EXCLUDES(mutex_);

  // Calls `ready` once, when the log's head is at or beyond `position`: from the background thread, or from
  // the calling thread when the head is there already. Before start() it only registers. `ready` must be
  // quick and must not call this object. Returns the ticket for cancel().
  std::uint64_t wake_at(GlobalPosition position, std::function<void()> ready) CAIRN_EXCLUDES(mutex_);

  // After this returns, the callback of `ticket` is not running and is never called.
  void cancel(std::uint64_t ticket) CAIRN_EXCLUDES(mutex_);

 private:
  struct Waiter {
    GlobalPosition position;
    std::function<void()> ready;
  };

  void run(EventStore& store, const std::stop_token& stop) CAIRN_EXCLUDES(mutex_);
  void wake(GlobalPosition head) CAIRN_REQUIRES(mutex_);

  Mutex mutex_;
  CondVar changed_;
  EventStore* store_ CAIRN_GUARDED_BY(mutex_) = nullptr;
  bool head_moved_ CAIRN_GUARDED_BY(mutex_) = false;  // the store has called since run() looked at the head
  std::uint64_t last_ticket_ CAIRN_GUARDED_BY(mutex_) = 0;
  std::map<std::uint64_t, Waiter> waiters_ CAIRN_GUARDED_BY(mutex_);
  BackgroundThread thread_;  // last: it uses the other members
};

}  // namespace cairn::api
