#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api/http/fair_queue.h"
#include "eventstore/base/mutex.h"

namespace cairn::api {

// Threads for work that would block the threads of the server, with a bounded queue in front of them. The
// work of one client begins in the order of submission, and clients take turns; with one thread, each piece ends
// before the next begins. Thread-safe.
class WorkerPool {
 public:
  struct Options {
    const char* name;  // of the threads: at most 13 characters, because several of them are name-0, name-1, …
    std::size_t threads;    // at most 10
    std::size_t queue_max;  // pieces of work that wait for a thread; more are refused
  };

  explicit WorkerPool(const Options& options);

  ~WorkerPool() { stop(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  enum class Submitted {
    kYes,
    kFull,       // or stopped
    kOverShare,  // the queue is nearly full, mostly with work of this client
  };

  // REQUIRES: `work` does not throw.
  Submitted submit(ClientId client, std::function<void()> work);

  // Work of the server itself: false when the queue is full, or after stop().
  bool submit(std::function<void()> work) { return submit(0, std::move(work)) == Submitted::kYes; }

  // Destroys the work in the queue, waits for the work that runs, and ends the threads. Later work is
  // refused. REQUIRES: the caller is not a thread of the pool.
  void stop();

 private:
  void run();

  const std::size_t queue_max_;
  Mutex mutex_;
  CondVar changed_;
  FairQueue<std::function<void()>> queue_ CAIRN_GUARDED_BY(mutex_);
  bool stopping_ CAIRN_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;  // last: they use the members above
};

}  // namespace cairn::api
