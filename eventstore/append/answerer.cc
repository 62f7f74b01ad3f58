#include "eventstore/append/answerer.h"

#include <algorithm>
#include <utility>

namespace cairn {

Answerer::~Answerer() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  arrived_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Answerer::deliver(std::shared_ptr<AppendQueue::Round> round, std::size_t from, std::size_t to) {
  const auto first = round->appends.begin() + static_cast<std::ptrdiff_t>(from);
  const auto last = round->appends.begin() + static_cast<std::ptrdiff_t>(to);
  if (std::none_of(first, last, [](const PendingAppend& append) { return append.done != nullptr; })) return;
  {
    std::lock_guard lock(mutex_);
    answered_.push_back({std::move(round), from, to});
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  }
  arrived_.notify_one();
}

void Answerer::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    arrived_.wait(lock, [this] { return stopping_ || !answered_.empty(); });
    if (answered_.empty()) return;
    std::vector<Answered> batch = std::exchange(answered_, {});
    lock.unlock();
    for (const Answered& part : batch) {
      for (std::size_t i = part.from; i < part.to; ++i) {
        PendingAppend& append = part.round->appends[i];
        if (append.done) append.done(*std::move(append.answer()));
      }
    }
    batch.clear();
    lock.lock();
  }
}

}  // namespace cairn
