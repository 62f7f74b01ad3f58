#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <thread>

#include "eventstore/base/mutex.h"
#include "eventstore/types.h"

namespace cairn {

// The head of the log, and the threads and callbacks that wait for it to reach a position. Thread-safe;
// publish() from one thread at a time.
class HeadSignal {
 public:
  GlobalPosition head() const { return {head_.load(std::memory_order_acquire)}; }

  // Advances the head, wakes the threads that wait, and runs the callbacks whose position is reached, on the
  // calling thread. Takes no lock when there are no waiters.
  // REQUIRES: every event up to `head` can be read; `head` is not below the current one.
  void publish(GlobalPosition head) CAIRN_EXCLUDES(mutex_);

  // Blocks until the head is at least `position`; false if `timeout` passes first.
  bool wait_for(GlobalPosition position, std::chrono::milliseconds timeout) CAIRN_EXCLUDES(mutex_);

  // See EventStore::notify_at() and cancel_notify().
  std::uint64_t notify_at(GlobalPosition position, std::function<void()> ready) CAIRN_EXCLUDES(mutex_);
  void cancel(std::uint64_t ticket) CAIRN_EXCLUDES(mutex_);

 private:
  struct Callback {
    std::uint64_t ticket;
    std::function<void()> ready;
  };

  std::atomic<std::uint64_t> head_ = 0;
  std::atomic<unsigned> waiters_ =
      0;  // blocked threads and pending callbacks; publish() locks only for these
  Mutex mutex_;
  CondVar changed_;
  std::multimap<std::uint64_t, Callback> callbacks_ CAIRN_GUARDED_BY(mutex_);  // by position
  std::uint64_t last_ticket_ CAIRN_GUARDED_BY(mutex_) = 0;
  std::uint64_t running_ CAIRN_GUARDED_BY(mutex_) = 0;  // ticket of the callback that is running, or 0
  std::thread::id running_on_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn
