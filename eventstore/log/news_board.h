#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "eventstore/types.h"

namespace cairn {

// Tells those who wait that the log has grown. Any thread; publish() from one at a time.
class NewsBoard {
 public:
  GlobalPosition head() const { return {head_.load(std::memory_order_acquire)}; }

  // Everything up to `head` can be read now.
  void publish(GlobalPosition head);

  bool wait_for(GlobalPosition position, std::chrono::milliseconds timeout);

  // See EventStore::notify_at() and cancel_notify().
  std::uint64_t notify_at(GlobalPosition position, std::function<void()> ready);
  void cancel(std::uint64_t ticket);

 private:
  struct Waiting {
    std::uint64_t ticket;
    std::function<void()> ready;
  };

  std::atomic<std::uint64_t> head_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<unsigned> watchers_ =
      0;  // sleepers and callbacks; publish() takes the lock only when there are any
  std::multimap<std::uint64_t, Waiting> waiting_;  // by position
  std::uint64_t last_ticket_ = 0;
  std::uint64_t running_ = 0;  // the ticket whose callback is running
  std::thread::id running_on_;
};

}  // namespace cairn
