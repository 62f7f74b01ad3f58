#include "api/events/news_bell.h"

#include <chrono>
#include <utility>

namespace cairn::api {

namespace {

using Micros = std::chrono::microseconds;

// Between two rings: a delay nobody notices, and what waking and reading costs each of those who wait.
constexpr Micros kPause{1'000};
constexpr Micros kPausePerWaiter{50};

}  // namespace

void NewsBell::start(EventStore& store) {
  std::lock_guard lock(mutex_);
  store_ = &store;
  stopping_ = false;
  thread_ = std::thread([this] { run(); });
}

void NewsBell::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::uint64_t NewsBell::ring_at(GlobalPosition position, std::function<void()> ready) {
  std::unique_lock lock(mutex_);
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

void NewsBell::cancel(std::uint64_t ticket) {
  std::lock_guard lock(mutex_);
  waiters_.erase(ticket);
}

void NewsBell::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (waiters_.empty()) {
      changed_.wait(lock, [this] { return stopping_ || !waiters_.empty(); });
      continue;
    }
    // Whoever comes after this look at the head sees at least as much of it (ring_at), so nobody is missed.
    const GlobalPosition seen = store_->head();
    ring(seen);
    news_ = false;
    lock.unlock();
    // May call at once, from this thread, so no lock is held.
    const std::uint64_t ticket = store_->notify_at({seen.value + 1}, [this] {
      {
        std::lock_guard inner(mutex_);
        news_ = true;
      }
      changed_.notify_all();
    });
    lock.lock();
    changed_.wait(lock, [this] { return stopping_ || news_; });
    if (stopping_) {
      lock.unlock();
      store_->cancel_notify(ticket);
      return;
    }
    ring(store_->head());
    changed_.wait_for(lock, kPause + kPausePerWaiter * waiters_.size(), [this] { return stopping_; });
  }
}

// Callbacks run under the lock, so cancel() waits for them.
void NewsBell::ring(GlobalPosition head) {
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
