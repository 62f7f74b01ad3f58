#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "eventstore/event_store.h"

namespace cairn::api {

// Wakes all who wait for new events, with one thread for all of them. The store's writer is asked for news
// once at a time however many wait, and the more wait the less often they are woken: followers must not slow
// appends down.
class NewsBell {
 public:
  NewsBell() = default;
  ~NewsBell() { stop(); }
  NewsBell(const NewsBell&) = delete;
  NewsBell& operator=(const NewsBell&) = delete;

  // REQUIRES: `store` lives until stop() has returned.
  void start(EventStore& store);
  void stop();

  // Calls `ready` once, when the log's head is at or beyond `position`: from the bell's thread, or from this
  // one when it is already. `ready` must be quick and must not call the bell. The ticket is for cancel().
  std::uint64_t ring_at(GlobalPosition position, std::function<void()> ready);

  // After this returns, the callback of `ticket` is not running and never will.
  void cancel(std::uint64_t ticket);

 private:
  struct Waiter {
    GlobalPosition position;
    std::function<void()> ready;
  };

  void run();
  void ring(GlobalPosition head);  // REQUIRES: mutex_ is held

  std::mutex mutex_;
  std::condition_variable changed_;
  EventStore* store_ = nullptr;
  bool stopping_ = false;
  bool news_ = false;  // the store has called
  std::uint64_t last_ticket_ = 0;
  std::map<std::uint64_t, Waiter> waiters_;
  std::thread thread_;
};

}  // namespace cairn::api
