#include "eventstore/append/append_queue.h"

#include <algorithm>
#include <string>
#include <utility>

namespace cairn {

Result<std::shared_ptr<WakeUp>> AppendQueue::push(PendingAppend& append, std::size_t bytes) {
  std::unique_lock lock(mutex_);
  if (closed_) return *closed_;
  if (appends_.size() >= requests_max_ || bytes_ + bytes > bytes_max_) {
    return make_error(Errc::kOverloaded, "the writer's queue is full (" + std::to_string(appends_.size()) +
                                             " requests, " + std::to_string(bytes_) + " bytes)");
  }
  append.bytes = bytes;
  bytes_ += bytes;
  appends_.push_back(std::move(append));
  std::shared_ptr<WakeUp> wake_up = wake_up_;
  const bool wake = wake_writer_at_ != 0 && appends_.size() >= wake_writer_at_;
  if (wake) wake_writer_at_ = 0;
  lock.unlock();
  if (wake) arrived_.notify_one();
  return wake_up;
}

AppendQueue::Round AppendQueue::take(std::chrono::microseconds commit_time) {
  std::unique_lock lock(mutex_);
  // Those answered just now and those that came meanwhile: this many are under way.
  const std::size_t expected = last_round_ + appends_.size();
  if (appends_.empty()) {
    wake_writer_at_ = 1;
    arrived_.wait(lock, [this] { return !appends_.empty() || closed_; });
  }
  if (appends_.size() < expected && !closed_) {
    wake_writer_at_ = expected;
    arrived_.wait_for(lock, std::min(gather_max_, commit_time),
                      [&] { return appends_.size() >= expected || closed_; });
  }
  wake_writer_at_ = 0;
  last_round_ = appends_.size();
  bytes_ = 0;
  Round round{std::exchange(appends_, {}), std::exchange(wake_up_, std::make_shared<WakeUp>())};
  appends_.reserve(round.appends.size());
  return round;
}

void AppendQueue::close(Error why) {
  {
    std::lock_guard lock(mutex_);
    if (!closed_) closed_ = std::move(why);
  }
  arrived_.notify_all();
}

std::size_t AppendQueue::size() const {
  std::lock_guard lock(mutex_);
  return appends_.size();
}

}  // namespace cairn
