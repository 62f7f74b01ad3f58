#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>
#include <vector>

#include "eventstore/append/append_queue.h"
#include "eventstore/base/background_thread.h"
#include "eventstore/base/mutex.h"

namespace cairn {

// Runs the callbacks of append_async() on a thread of its own ("cairn-callback") and frees their requests, so
// that the writer thread does neither. The thread starts with the first request that has a callback. The
// destructor runs the callbacks that are left.
class CallbackDispatcher {
 public:
  CallbackDispatcher() = default;
  CallbackDispatcher(const CallbackDispatcher&) = delete;
  CallbackDispatcher& operator=(const CallbackDispatcher&) = delete;

  // Runs the callbacks of the requests [from, to) of `batch`, in the order of the calls, each callback once.
  // REQUIRES: the requests are answered; one thread calls it, the writer.
  void deliver(std::shared_ptr<AppendQueue::Batch> batch, std::size_t from, std::size_t to)
      CAIRN_EXCLUDES(mutex_);

 private:
  struct Answered {
    std::shared_ptr<AppendQueue::Batch> batch;
    std::size_t from, to;
  };
  void run(const std::stop_token& stop) CAIRN_EXCLUDES(mutex_);

  Mutex mutex_;
  CondVar arrived_;
  std::vector<Answered> answered_ CAIRN_GUARDED_BY(mutex_);
  BackgroundThread thread_;  // last: it uses the others
};

}  // namespace cairn
