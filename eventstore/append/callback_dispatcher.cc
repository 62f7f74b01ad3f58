#include "eventstore/append/callback_dispatcher.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "eventstore/after_callbacks.h"
#include "eventstore/base/assert.h"
#include "eventstore/base/thread_priority.h"

namespace cairn {
namespace {

// What after_callbacks() has deferred on this thread; null on a thread that runs no callbacks.
thread_local std::vector<std::function<void()>>* deferred_calls = nullptr;

}  // namespace

void after_callbacks(std::function<void()> then) {
  if (deferred_calls == nullptr) return then();
  deferred_calls->push_back(std::move(then));
}

void CallbackDispatcher::deliver(std::shared_ptr<AppendQueue::Batch> batch, std::size_t from,
                                 std::size_t to) {
  const auto first = batch->appends.begin() + static_cast<std::ptrdiff_t>(from);
  const auto last = batch->appends.begin() + static_cast<std::ptrdiff_t>(to);
  if (std::none_of(first, last, [](const auto& entry) { return entry.async != nullptr; })) return;
  if (!thread_.runs()) {
    thread_.start({.name = "cairn-callback", .slice = kShortSlice, .wake = wake_all(mutex_, arrived_)},
                  [this](const std::stop_token& stop) { run(stop); });
  }
  {
    const MutexLock lock(mutex_);
    answered_.push_back({std::move(batch), from, to});
  }
  arrived_.notify_one();
}

void CallbackDispatcher::run(const std::stop_token& stop) {
  std::vector<std::function<void()>> deferred;
  deferred_calls = &deferred;
  MutexLock lock(mutex_);
  for (;;) {
    arrived_.wait(lock, [&]() CAIRN_REQUIRES(mutex_) { return stop.stop_requested() || !answered_.empty(); });
    if (answered_.empty()) return;
    std::vector<Answered> delivered = std::exchange(answered_, {});
    lock.unlock();
    for (const Answered& part : delivered) {
      for (std::size_t i = part.from; i < part.to; ++i) {
        const auto& async = part.batch->appends[i].async;
        if (async == nullptr) continue;
        CAIRN_ASSERT(async->pending.answer.has_value());
        async->done(*std::move(async->pending.answer));
      }
    }
    // A deferred call may defer another one.
    for (std::size_t i = 0; i < deferred.size(); ++i) std::exchange(deferred[i], nullptr)();
    deferred.clear();
    delivered.clear();
    lock.lock();
  }
}

}  // namespace cairn
