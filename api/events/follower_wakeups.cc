#include "api/events/follower_wakeups.h"

#include <chrono>
#include <utility>

namespace cairn::api {

namespace {

using Micros = std::chrono::microseconds;

// The pause between two rounds of wake-ups: a delay that a follower does not notice, and for each follower
// what its wake-up and its read cost.
constexpr Micros kPause{1'000};
constexpr Micros kPausePerWaiter{50};

}  // namespace

void FollowerWakeups::start(EventStore& store) {
  {
    const MutexLock lock(mutex_);
    store_ = &store;
  }
  thread_.start({.name = "cairn-followers", .wake = wake_all(mutex_, changed_)},
                [this, &store](const std::stop_token& stop) { run(store, stop); });
}

void FollowerWakeups::stop() {
  thread_.stop();
  const MutexLock lock(mutex_);
  store_ = nullptr;
}

std::uint64_t FollowerWakeups::wake_at(GlobalPosition position, std::function<void()> ready) {
  MutexLock lock(mutex_);
  const std::uint64_t ticket = ++last_ticket_;
  if (store_ != nullptr && store_->head() >= position) {
    lock.unlock();
    ready();
    return ticket;
  }
  waiters_[ticket] = {position, std::move(ready)};
  lock.unlock();
  changed_.notify_all();
  return ticket;
}

void FollowerWakeups::cancel(std::uint64_t ticket) {
  const MutexLock lock(mutex_);
  waiters_.erase(ticket);
}

void FollowerWakeups::run(EventStore& store, const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    if (waiters_.empty()) {
      changed_.wait(lock, [this, &stop]()
                              CAIRN_REQUIRES(mutex_) { return stop.stop_requested() || !waiters_.empty(); });
      continue;
    }
    // No wake-up is lost: a follower that calls wake_at() after this reads a head that is at least as far,
    // and the notification below is for the next position.
    const GlobalPosition seen = store.head();
    wake(seen);
    head_moved_ = false;
    lock.unlock();
    // The store may call at once, from this thread, so the lock is not held.
    const std::uint64_t ticket = store.notify_at({seen.value + 1}, [this] {
      {
        const MutexLock inner(mutex_);
        head_moved_ = true;
      }
      changed_.notify_all();
    });
    lock.lock();
    changed_.wait(lock,
                  [this, &stop]() CAIRN_REQUIRES(mutex_) { return stop.stop_requested() || head_moved_; });
    if (stop.stop_requested()) {
      lock.unlock();
      store.cancel_notify(ticket);
      return;
    }
    wake(store.head());
    changed_.wait_for(lock, kPause + kPausePerWaiter * waiters_.size(),
                      [&stop] { return stop.stop_requested(); });
  }
}

// Callbacks run with the lock held, so that cancel() waits for them.
void FollowerWakeups::wake(GlobalPosition head) {
  for (auto waiter = waiters_.begin(); waiter != waiters_.end();) {
    if (waiter->second.position > head) {
      ++waiter;
      continue;
    }
    waiter->second.ready();
    waiter = waiters_.erase(waiter);
  }
}

}  // namespace cairn::api
