#include "api/http/worker_pool.h"

#include <utility>

#include "eventstore/base/assert.h"
#include "eventstore/base/background_thread.h"

namespace cairn::api {

WorkerPool::WorkerPool(const Options& options) : queue_max_(options.queue_max) {
  CAIRN_ASSERT(options.threads > 0 && options.threads <= 10, options.threads);
  threads_.reserve(options.threads);
  for (std::size_t i = 0; i < options.threads; ++i) {
    std::string name = options.name;
    if (options.threads > 1) name += "-" + std::to_string(i);
    threads_.emplace_back([this, name] {
      name_this_thread(name.c_str());
      run();
    });
  }
}

void WorkerPool::stop() {
  // Destroyed without the lock, because its destructors may answer clients; and before the threads are
  // joined, so that these clients do not wait for the work that runs.
  {
    FairQueue<std::function<void()>> dropped;
    {
      const MutexLock lock(mutex_);
      stopping_ = true;
      std::swap(dropped, queue_);
    }
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

WorkerPool::Submitted WorkerPool::submit(ClientId client, std::function<void()> work) {
  {
    const MutexLock lock(mutex_);
    if (stopping_ || queue_.size() >= queue_max_) return Submitted::kFull;
    const std::size_t held = queue_.size_of(client);
    const std::size_t clients = queue_.clients() + (held == 0 ? 1 : 0);
    if (client != 0 && exceeds_share(held + 1, queue_.size() + 1, queue_max_, clients)) {
      return Submitted::kOverShare;
    }
    queue_.push(client, std::move(work));
  }
  changed_.notify_one();
  return Submitted::kYes;
}

void WorkerPool::run() {
  MutexLock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this]() CAIRN_REQUIRES(mutex_) { return stopping_ || !queue_.empty(); });
    if (stopping_) return;
    auto work = queue_.pop();
    lock.unlock();
    work();
    work = nullptr;  // Its destructor runs without the lock.
    lock.lock();
  }
}

}  // namespace cairn::api
