#include "eventstore/append/append_queue.h"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

namespace cairn {
namespace {

// How long the writer watches for the next request before it goes to sleep.
constexpr std::chrono::microseconds kIdleWatch{100};

}  // namespace

Result<WakeUp*> AppendQueue::push(Entry& entry) {
  const std::size_t bytes = entry.pending->bytes;
  std::unique_lock lock(mutex_);
  if (closed_) return *closed_;
  if (appends_.size() >= requests_max_ || bytes_ + bytes > bytes_max_) {
    return make_error(Errc::kOverloaded, "the writer's queue is full (" + std::to_string(appends_.size()) +
                                             " requests, " + std::to_string(bytes_) + " bytes)");
  }
  bytes_ += bytes;
  appends_.push_back(std::move(entry));
  WakeUp* const wake_up = &wake_ups_[round_];
  size_.store(appends_.size());
  const bool wake = std::exchange(writer_sleeps_, false);
  lock.unlock();
  if (wake) arrived_.notify_one();
  return wake_up;
}

AppendQueue::Round AppendQueue::take() {
  const auto watch_until = std::chrono::steady_clock::now() + kIdleWatch;
  while (size_.load() == 0 && !is_closed_.load() && std::chrono::steady_clock::now() < watch_until) {
    std::this_thread::yield();
  }
  std::unique_lock lock(mutex_);
  if (appends_.empty() && !closed_) {
    writer_sleeps_ = true;
    arrived_.wait(lock, [this] { return !appends_.empty() || closed_; });
    writer_sleeps_ = false;
  }
  bytes_ = 0;
  size_.store(0);
  Round round{std::exchange(appends_, {}), &wake_ups_[round_]};
  round_ = (round_ + 1) % wake_ups_.size();
  appends_.reserve(round.appends.size());
  return round;
}

void AppendQueue::close(Error why) {
  {
    std::lock_guard lock(mutex_);
    if (!closed_) closed_ = std::move(why);
    is_closed_.store(true);
  }
  arrived_.notify_all();
}

std::size_t AppendQueue::size() const {
  std::lock_guard lock(mutex_);
  return appends_.size();
}

}  // namespace cairn
