#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cairn::api {

// Threads that do work which would hold up those of the server, begun in the order it was given. Any thread
// may give it.
class WorkerPool {
 public:
  WorkerPool(std::size_t threads, std::size_t waiting_max);

  ~WorkerPool() { stop(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // False when too much waits already, or it was stopped. REQUIRES: `work` does not throw.
  bool submit(std::function<void()> work);

  // Finishes what is under way; what still waits is dropped, and nothing is taken any more. Not from a thread
  // of its own.
  void stop();

 private:
  void run();

  const std::size_t waiting_max_;
  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<std::function<void()>> waiting_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;  // last: they use the others
};

}  // namespace cairn::api
