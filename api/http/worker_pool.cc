#include "api/http/worker_pool.h"

#include <utility>

namespace cairn::api {

WorkerPool::WorkerPool(std::size_t threads, std::size_t waiting_max) : waiting_max_(waiting_max) {
  threads_.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

void WorkerPool::stop() {
  std::deque<std::function<void()>> dropped;  // goes without the lock: it may answer clients
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    dropped.swap(waiting_);
  }
  news_.notify_all();
  dropped.clear();  // Whoever waits need not wait for what is under way as well.
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

bool WorkerPool::submit(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || waiting_.size() >= waiting_max_) return false;
    waiting_.push_back(std::move(work));
  }
  news_.notify_one();
  return true;
}

void WorkerPool::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    news_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    auto work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    work = nullptr;  // What it holds goes before the lock is taken again.
    lock.lock();
  }
}

}  // namespace cairn::api
