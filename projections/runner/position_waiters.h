#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "eventstore/base/mutex.h"
#include "eventstore/types.h"

namespace cairn {

// Callbacks that wait until a projection's rows have reached a position. Each is called exactly once, outside
// the lock, by the thread that calls add(), reached(), give_up() or close(). Thread-safe.
class PositionWaiters {
 public:
  using Done = std::function<void(bool reached)>;
  using Ticket = std::uint64_t;

  // Waits for a position. When `now`, evaluated under the lock so that no wake-up is lost, has reached it
  // already, or after close(), `done` is called at once and the ticket is 0.
  Ticket add(GlobalPosition position, const std::function<GlobalPosition()>& now, Done done)
      CAIRN_EXCLUDES(mutex_) {
    bool is_there = false;
    {
      const MutexLock lock(mutex_);
      is_there = now() >= position;
      if (!closed_ && !is_there) {
        const Ticket ticket = ++last_ticket_;
        waiting_.emplace(std::pair(position.value, ticket), std::move(done));
        positions_.emplace(ticket, position.value);
        return ticket;
      }
    }
    done(is_there);
    return 0;
  }

  // The rows are at `position` now.
  void reached(GlobalPosition position) CAIRN_EXCLUDES(mutex_) {
    std::vector<Done> ready;
    {
      const MutexLock lock(mutex_);
      while (!waiting_.empty() && waiting_.begin()->first.first <= position.value) {
        positions_.erase(waiting_.begin()->first.second);
        ready.push_back(std::move(waiting_.begin()->second));
        waiting_.erase(waiting_.begin());
      }
    }
    for (const Done& done : ready) done(true);
  }

  // The timeout of a waiter has passed. Does nothing when it was called already.
  void give_up(Ticket ticket) CAIRN_EXCLUDES(mutex_) {
    Done late;
    {
      const MutexLock lock(mutex_);
      const auto position = positions_.find(ticket);
      if (position == positions_.end()) return;
      const auto waiter = waiting_.find({position->second, ticket});
      late = std::move(waiter->second);
      waiting_.erase(waiter);
      positions_.erase(position);
    }
    late(false);
  }

  bool is_empty() const CAIRN_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return waiting_.empty();
  }

  // Calls all waiters with false, and later ones at once.
  void close() CAIRN_EXCLUDES(mutex_) {
    std::map<std::pair<std::uint64_t, Ticket>, Done> left;
    {
      const MutexLock lock(mutex_);
      closed_ = true;
      left.swap(waiting_);
      positions_.clear();
    }
    for (const auto& [key, done] : left) done(false);
  }

 private:
  mutable Mutex mutex_;
  bool closed_ CAIRN_GUARDED_BY(mutex_) = false;
  Ticket last_ticket_ CAIRN_GUARDED_BY(mutex_) = 0;
  std::map<std::pair<std::uint64_t, Ticket>, Done> waiting_ CAIRN_GUARDED_BY(mutex_);  // by position
  std::map<Ticket, std::uint64_t> positions_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn
