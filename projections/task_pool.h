#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

namespace cairn {

// The thread pool of projections, with timers. Thread-safe. Tasks must not throw.
class TaskPool {
 public:
  explicit TaskPool(unsigned threads);
  ~TaskPool();  // stop()
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  unsigned threads() const { return threads_; }

  void post(std::function<void()> task);

  // Runs a task later, unless the pool is stopped first.
  void post_after(std::chrono::milliseconds delay, std::function<void()> task);

  // Waits for the running tasks and drops those that wait. Afterwards no task runs. Not from a task.
  void stop();

  // Calls job(0) … job(count - 1), on this thread and on idle threads of the pool, and returns when all are
  // done. Rethrows the first exception of a job. A task may call it: without idle threads it runs all jobs
  // itself.
  void for_each(std::size_t count, const std::function<void(std::size_t index)>& job);

 private:
  struct Impl;
  const unsigned threads_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn
