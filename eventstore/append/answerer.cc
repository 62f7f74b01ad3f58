#include "eventstore/append/answerer.h"

#include <algorithm>
#include <utility>

#include "eventstore/after_answers.h"
#include "eventstore/base/thread_priority.h"

namespace cairn {
namespace {

// What is to be done after the callbacks; null in a thread that calls none.
thread_local std::vector<std::function<void()>>* left_for_later = nullptr;

}  // namespace

void after_answers(std::function<void()> then) {
  if (left_for_later == nullptr) return then();
  left_for_later->push_back(std::move(then));
}

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
  if (std::none_of(first, last, [](const auto& entry) { return entry.unwaited != nullptr; })) return;
  {
    std::lock_guard lock(mutex_);
    answered_.push_back({std::move(round), from, to});
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  }
  arrived_.notify_one();
}

void Answerer::run() {
  set_thread_niceness(0);  // the writer, which started it, may have another one
  std::vector<std::function<void()>> later;
  left_for_later = &later;
  std::unique_lock lock(mutex_);
  for (;;) {
    arrived_.wait(lock, [this] { return stopping_ || !answered_.empty(); });
    if (answered_.empty()) return;
    std::vector<Answered> batch = std::exchange(answered_, {});
    lock.unlock();
    for (const Answered& part : batch) {
      for (std::size_t i = part.from; i < part.to; ++i) {
        if (const auto& unwaited = part.round->appends[i].unwaited) {
          unwaited->done(*std::move(unwaited->pending.answer));
        }
      }
    }
    for (std::size_t i = 0; i < later.size(); ++i) std::exchange(later[i], nullptr)();
    later.clear();
    batch.clear();
    lock.lock();
  }
}

}  // namespace cairn
