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
  if (appends_.size() >= limits_.requests_max || bytes_ + bytes > limits_.bytes_max) {
    return make_error(Errc::kOverloaded, fmt::format("the writer's queue is full ({} requests, {} bytes)",
                                                     appends_.size(), bytes_));
  }
  const bool crowded = appends_.size() >= limits_.requests_max - limits_.requests_max / 4 ||
                       bytes_ + bytes > limits_.bytes_max - limits_.bytes_max / 4;
  if (crowded && exceeds_share(*entry.pending)) {
    return make_error(
        Errc::kTooManyRequests,
        fmt::format("the writer's queue is nearly full ({} requests, {} bytes), and this client "
                    "has its share of it",
                    appends_.size(), bytes_));
  }
  bytes_ += bytes;
  if (held_) {
    Held& held = (*held_)[entry.pending->request.client];
    ++held.requests;
    held.bytes += bytes;
  }
  appends_.push_back(std::move(entry));
  AnswerSignal* const signal = &signals_[next_signal_];
  size_.store(appends_.size());
  const bool wake = std::exchange(writer_sleeps_, false);
  lock.unlock();
  if (wake) arrived_.notify_one();
  return signal;
}

// The share of a client that is alone is one half, so that it is throttled before another client is refused. The
// program itself (client 0) has no share: its own appends are few.
bool AppendQueue::exceeds_share(const PendingAppend& append) {
  const std::uint64_t client = append.request.client;
  if (client == 0) return false;
  if (!held_) {
    held_.emplace();
    for (const Entry& entry : appends_) {
      Held& held = (*held_)[entry.pending->request.client];
      ++held.requests;
      held.bytes += entry.pending->bytes;
    }
  }
  const Held& held = (*held_)[client];
  const std::size_t shares = std::max<std::size_t>(held_->size(), 2);
  return held.requests + 1 > limits_.requests_max / shares ||
         held.bytes + append.bytes > limits_.bytes_max / shares;
}

// Takes an equal part of a block from each client, the oldest requests first, and then the oldest of the rest as
// far as the block has room. Leaves the others, in their order. The requests of one client stay in order: once
// one of them is left, the later ones are too.
std::vector<AppendQueue::Entry> AppendQueue::take_block() {
  HeldByClient taken;
  for (const Entry& entry : appends_) taken.try_emplace(entry.pending->request.client);
  const std::size_t requests_each = std::max<std::size_t>(limits_.block_requests_max / taken.size(), 1);
  const std::size_t bytes_each = limits_.block_bytes_max / taken.size();
  std::vector<Entry> batch, rest;
  std::size_t bytes = 0;
  const auto take = [&](Entry& entry) {
    bytes += entry.pending->bytes;
    batch.push_back(std::move(entry));
  };
  for (Entry& entry : appends_) {
    Held& held = taken[entry.pending->request.client];
    held.bytes += entry.pending->bytes;
    // The first one is taken also if it is larger than its part. `bytes` only grows: what is left stays left.
    if (held.requests < requests_each && (held.requests == 0 || held.bytes <= bytes_each)) {
      ++held.requests;
      take(entry);
    } else {
      held.requests = requests_each;
      rest.push_back(std::move(entry));
    }
  }
  std::size_t more = 0;
  while (more < rest.size() && batch.size() < limits_.block_requests_max &&
         bytes + rest[more].pending->bytes <= limits_.block_bytes_max) {
    take(rest[more++]);
  }
  rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(more));
  appends_ = std::move(rest);
  bytes_ -= bytes;
  return batch;
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
  held_.reset();
  AnswerSignal* const signal = &signals_[next_signal_];
  if (appends_.size() > limits_.block_requests_max || bytes_ > limits_.block_bytes_max) {
    Batch batch{take_block(), signal};
    size_.store(appends_.size());
    // The callers of those that are left wait on this signal, so the next batch has it too.
    if (appends_.empty()) next_signal_ = (next_signal_ + 1) % signals_.size();
    return batch;
  }
  bytes_ = 0;
  size_.store(0);
  Batch batch{std::exchange(appends_, {}), signal};
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
