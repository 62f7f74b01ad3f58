#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "eventstore/append/append_queue.h"

namespace cairn {

// Calls the callbacks of answered requests and lets go of their memory, so that the writer does neither. The
// thread starts with the first request that has a callback.
class Answerer {
 public:
  Answerer() = default;
  // Delivers what is left.
  ~Answerer();
  Answerer(const Answerer&) = delete;
  Answerer& operator=(const Answerer&) = delete;

  // The requests [from, to) of `round` have their answers. In order of calls, each callback once.
  void deliver(std::shared_ptr<AppendQueue::Round> round, std::size_t from, std::size_t to);

 private:
  struct Answered {
    std::shared_ptr<AppendQueue::Round> round;
    std::size_t from, to;
  };
  void run();

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Answered> answered_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace cairn
