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

// For how many batches a client counts as one that appends. About a second of small blocks: a client that pauses
// for longer waits for one block of full size. Counted, because a clock would be read for each request.
constexpr std::size_t kBatchesRemembered = 4'096;

}  // namespace

Result<AnswerSignal*> AppendQueue::push(Entry& entry) {
  const std::size_t bytes = entry.pending->bytes;
  MutexLock lock(mutex_);
  if (closed_) return *closed_;
  if (waiting() >= limits_.requests_max || bytes_ + bytes > limits_.bytes_max) {
    return make_error(Errc::kOverloaded,
                      fmt::format("the writer's queue is full ({} requests, {} bytes)", waiting(), bytes_));
  }
  const bool crowded = waiting() >= limits_.requests_max - limits_.requests_max / 4 ||
                       bytes_ + bytes > limits_.bytes_max - limits_.bytes_max / 4;
  if (crowded && exceeds_share(*entry.pending)) {
    return make_error(
        Errc::kTooManyRequests,
        fmt::format("the writer's queue is nearly full ({} requests, {} bytes), and this client "
                    "has its share of it",
                    waiting(), bytes_));
  }
  note_client(entry.pending->request.client);
  bytes_ += bytes;
  if (held_) {
    Held& held = (*held_)[entry.pending->request.client];
    ++held.requests;
    held.bytes += bytes;
  }
  appends_.push_back(std::move(entry));
  AnswerSignal* const signal = &signals_[next_signal_];
  size_.store(waiting());
  const bool wake = std::exchange(writer_sleeps_, false);
  lock.unlock();
  if (wake) arrived_.notify_one();
  return signal;
}

// The program's own appends (client 0) are few and do not count.
void AppendQueue::note_client(std::uint64_t client) {
  if (client == 0 || client == last_client_) return;
  if (last_client_ != 0) shared_batches_ = kBatchesRemembered;
  last_client_ = client;
}

// The share of a client that is alone is one half, so that it is throttled before another client is refused. The
// program itself (client 0) has no share: its own appends are few.
bool AppendQueue::exceeds_share(const PendingAppend& append) {
  const std::uint64_t client = append.request.client;
  if (client == 0) return false;
  if (!held_) {
    held_.emplace();
    for (const auto& [id, waiting] : backlog_.clients()) {
      (*held_)[id] = {waiting.entries.size(), waiting.bytes};
    }
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

AppendQueue::Batch AppendQueue::take() {
  const auto spin_until = std::chrono::steady_clock::now() + kWriterSpinBeforeSleep;
  while (size_.load() == 0 && !is_closed_.load() && std::chrono::steady_clock::now() < spin_until) {
    std::this_thread::yield();
  }
  MutexLock lock(mutex_);
  if (waiting() == 0 && !closed_) {
    writer_sleeps_ = true;
    arrived_.wait(lock, [this]() CAIRN_REQUIRES(mutex_) { return !appends_.empty() || closed_; });
    writer_sleeps_ = false;
  }
  held_.reset();
  Batch batch{.appends = {}, .signal = &signals_[next_signal_]};
  const bool shared = shared_batches_ > 0;
  if (shared) {
    --shared_batches_;
    batch.shared_request_bytes_max = limits_.client_bytes_max;
  }
  const std::size_t bytes_max = shared ? limits_.client_bytes_max : limits_.block_bytes_max;
  if (backlog_.empty() && appends_.size() <= limits_.block_requests_max && bytes_ <= bytes_max) {
    bytes_ = 0;
    batch.appends = std::exchange(appends_, {});
    appends_.reserve(batch.appends.size());
  } else {
    for (Entry& entry : appends_) backlog_.push(std::move(entry));
    appends_.clear();
    batch.appends = backlog_.take({.requests_max = limits_.block_requests_max,
                                   .bytes_max = limits_.block_bytes_max,
                                   .client_bytes_max = batch.shared_request_bytes_max});
    for (const Entry& entry : batch.appends) bytes_ -= entry.pending->bytes;
  }
  size_.store(waiting());
  // The callers of those that are left wait on this signal, so the next batch has it too.
  if (waiting() == 0) next_signal_ = (next_signal_ + 1) % signals_.size();
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
  return waiting();
}

}  // namespace cairn
