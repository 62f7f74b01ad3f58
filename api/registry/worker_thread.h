#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace cairn::api {

// One thread that does work which would hold up the threads of the server, in the order it was given. Any
// thread may give it.
class WorkerThread {
 public:
  explicit WorkerThread(std::size_t waiting_max);

  ~WorkerThread() { stop(); }
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  // False when too much waits already, or it was stopped. REQUIRES: `work` does not throw.
  bool submit(std::function<void()> work);

  // Finishes what it is doing; what still waits is dropped, and nothing is taken any more. Not from the
  // thread itself.
  void stop();

 private:
  void run();

  const std::size_t waiting_max_;
  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<std::function<void()>> waiting_;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace cairn::api
