#include "eventstore/append/append_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace cairn {
namespace {

// How long the writer thread spins for the next request before it sleeps.
constexpr std::chrono::microseconds kWriterSpinBeforeSleep{100};

}  // namespace

Result<AnswerSignal*> AppendQueue::push(Entry& entry) {
  const std::size_t bytes = entry.pending->bytes;
  MutexLock lock(mutex_);
  if (closed_) return *closed_;
  if (appends_.size() >= requests_max_ || bytes_ + bytes > bytes_max_) {
    return make_error(Errc::kOverloaded, fmt::format("the writer's queue is full ({} requests, {} bytes)",
                                                     appends_.size(), bytes_));
  }
  bytes_ += bytes;
  appends_.push_back(std::move(entry));
  AnswerSignal* const signal = &signals_[next_signal_];
  size_.store(appends_.size());
  const bool wake = std::exchange(writer_sleeps_, false);
  lock.unlock();
  if (wake) arrived_.notify_one();
  return signal;
}

AppendQueue::Batch AppendQueue::take() {
  const auto spin_until = std::chrono::steady_clock::now() + kWriterSpinBeforeSleep;
  while (size_.load() == 0 && !is_closed_.load() && std::chrono::steady_clock::now() < spin_until) {
    std::this_thread::yield();
  }
  MutexLock lock(mutex_);
  if (appends_.empty() && !closed_) {
    writer_sleeps_ = true;
    arrived_.wait(lock, [this]() CAIRN_REQUIRES(mutex_) { return !appends_.empty() || closed_; });
    writer_sleeps_ = false;
  }
  bytes_ = 0;
  size_.store(0);
  Batch batch{std::exchange(appends_, {}), &signals_[next_signal_]};
  next_signal_ = (next_signal_ + 1) % signals_.size();
  appends_.reserve(batch.appends.size());
  return batch;
}

void AppendQueue::close(Error why) {
  {
    const MutexLock lock(mutex_);
    if (!closed_) closed_ = std::move(why);
    is_closed_.store(true);
  }
  arrived_.notify_all();
}

std::size_t AppendQueue::size() const {
  const MutexLock lock(mutex_);
  return appends_.size();
}

}  // namespace cairn
