#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

namespace cairn {

// The threads that projections run on, with timers. Any thread. Tasks must not throw.
class TaskPool {
 public:
  explicit TaskPool(unsigned threads);
  ~TaskPool();  // stop()
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  unsigned threads() const;

  void post(std::function<void()> task);

  // Runs a task later, unless the pool is stopped first.
  void post_after(std::chrono::milliseconds delay, std::function<void()> task);

  // Ends the tasks that run and drops those that wait. Afterwards nothing runs any more.
  void stop();

  // Calls job(0) … job(count - 1), on this thread and those of the pool that are free, and returns when all
  // are done. What a job throws is thrown here. May be called by tasks: whoever calls does the work itself if
  // nobody helps.
  void for_each(std::size_t count, const std::function<void(std::size_t index)>& job);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn
