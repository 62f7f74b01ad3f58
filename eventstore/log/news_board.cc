#include "eventstore/log/news_board.h"

#include <utility>

namespace cairn {

void NewsBoard::publish(GlobalPosition head) {
  head_.store(head.value);
  if (watchers_.load() == 0) return;
  std::unique_lock lock(mutex_);
  changed_.notify_all();
  while (!waiting_.empty() && waiting_.begin()->first <= head.value) {
    const Waiting next = std::move(waiting_.extract(waiting_.begin()).mapped());
    --watchers_;
    running_ = next.ticket;
    running_on_ = std::this_thread::get_id();
    lock.unlock();
    next.ready();
    lock.lock();
    running_ = 0;
    changed_.notify_all();
  }
}

bool NewsBoard::wait_for(GlobalPosition position, std::chrono::milliseconds timeout) {
  if (head() >= position) return true;
  std::unique_lock lock(mutex_);
  ++watchers_;
  // The head is looked at after the watcher is counted: publish() stores the head before it counts watchers,
  // so one of the two sees the other.
  const bool there = changed_.wait_for(lock, timeout, [&] { return head_.load() >= position.value; });
  --watchers_;
  return there;
}

std::uint64_t NewsBoard::notify_at(GlobalPosition position, std::function<void()> ready) {
  std::unique_lock lock(mutex_);
  const std::uint64_t ticket = ++last_ticket_;
  ++watchers_;
  if (head_.load() >= position.value) {
    --watchers_;
    lock.unlock();
    ready();
    return ticket;
  }
  waiting_.emplace(position.value, Waiting{ticket, std::move(ready)});
  return ticket;
}

void NewsBoard::cancel(std::uint64_t ticket) {
  std::unique_lock lock(mutex_);
  for (auto entry = waiting_.begin(); entry != waiting_.end(); ++entry) {
    if (entry->second.ticket != ticket) continue;
    waiting_.erase(entry);
    --watchers_;
    return;
  }
  if (running_on_ == std::this_thread::get_id()) return;  // a callback that cancels itself
  changed_.wait(lock, [&] { return running_ != ticket; });
}

}  // namespace cairn
