#include "eventstore/log/head_signal.h"

#include <utility>

#include "eventstore/base/assert.h"

namespace cairn {

// Waiters increment waiters_ before they load head_; publish() stores head_ before it loads waiters_. Both
// use sequentially consistent order, so at least one of the two sees the other, and no wake-up is lost.
void HeadSignal::publish(GlobalPosition head) {
  CAIRN_ASSERT(head.value >= head_.load(std::memory_order_relaxed), head.value, head_.load());
  head_.store(head.value);
  if (waiters_.load() == 0) return;
  MutexLock lock(mutex_);
  changed_.notify_all();
  while (!callbacks_.empty() && callbacks_.begin()->first <= head.value) {
    const Callback next = std::move(callbacks_.extract(callbacks_.begin()).mapped());
    --waiters_;
    running_ = next.ticket;
    running_on_ = std::this_thread::get_id();
    lock.unlock();
    next.ready();
    lock.lock();
    running_ = 0;
    changed_.notify_all();
  }
}

bool HeadSignal::wait_for(GlobalPosition position, std::chrono::milliseconds timeout) {
  if (head() >= position) return true;
  MutexLock lock(mutex_);
  ++waiters_;
  const bool reached = changed_.wait_for(lock, timeout, [&] { return head_.load() >= position.value; });
  --waiters_;
  return reached;
}

std::uint64_t HeadSignal::notify_at(GlobalPosition position, std::function<void()> ready) {
  MutexLock lock(mutex_);
  const std::uint64_t ticket = ++last_ticket_;
  ++waiters_;
  if (head_.load() >= position.value) {
    --waiters_;
    lock.unlock();
    ready();
    return ticket;
  }
  callbacks_.emplace(position.value, Callback{ticket, std::move(ready)});
  return ticket;
}

void HeadSignal::cancel(std::uint64_t ticket) {
  MutexLock lock(mutex_);
  for (auto entry = callbacks_.begin(); entry != callbacks_.end(); ++entry) {
    if (entry->second.ticket != ticket) continue;
    callbacks_.erase(entry);
    --waiters_;
    return;
  }
  if (running_on_ == std::this_thread::get_id()) return;  // called from a callback: waiting would deadlock
  changed_.wait(lock, [&]() CAIRN_REQUIRES(mutex_) { return running_ != ticket; });
}

}  // namespace cairn
