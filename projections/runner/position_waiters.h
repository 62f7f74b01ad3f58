#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "eventstore/types.h"

namespace cairn {

// Those who wait until a projection's rows have come to a position. Each is called once. Any thread.
class PositionWaiters {
 public:
  using Done = std::function<void(bool reached)>;
  using Ticket = std::uint64_t;

  // Waits for a position, unless `now`, asked with nobody able to slip in between, is that far already: then
  // it is called at once and the ticket is 0.
  Ticket add(GlobalPosition position, const std::function<GlobalPosition()>& now, Done done) {
    bool is_there = false;
    {
      const std::lock_guard lock(mutex_);
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

  void reached(GlobalPosition position) {
    std::vector<Done> ready;
    {
      const std::lock_guard lock(mutex_);
      while (!waiting_.empty() && waiting_.begin()->first.first <= position.value) {
        positions_.erase(waiting_.begin()->first.second);
        ready.push_back(std::move(waiting_.begin()->second));
        waiting_.erase(waiting_.begin());
      }
    }
    for (const Done& done : ready) done(true);
  }

  void give_up(Ticket ticket) {
    Done late;
    {
      const std::lock_guard lock(mutex_);
      const auto position = positions_.find(ticket);
      if (position == positions_.end()) return;
      const auto waiter = waiting_.find({position->second, ticket});
      late = std::move(waiter->second);
      waiting_.erase(waiter);
      positions_.erase(position);
    }
    late(false);
  }

  bool is_empty() const {
    const std::lock_guard lock(mutex_);
    return waiting_.empty();
  }

  // Nobody waits any more.
  void close() {
    std::map<std::pair<std::uint64_t, Ticket>, Done> left;
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      left.swap(waiting_);
      positions_.clear();
    }
    for (const auto& [key, done] : left) done(false);
  }

 private:
  mutable std::mutex mutex_;
  bool closed_ = false;
  Ticket last_ticket_ = 0;
  std::map<std::pair<std::uint64_t, Ticket>, Done> waiting_;  // by position
  std::map<Ticket, std::uint64_t> positions_;
};

}  // namespace cairn
