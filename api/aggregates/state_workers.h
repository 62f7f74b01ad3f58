#pragma once

#include <cstddef>

#include "api/http/answer_workers.h"

namespace cairn::api {

// The threads that fold states: a long stream without a snapshot takes seconds, and a deployment waits for
// the disk, while the server's own threads go on serving others. Any thread.
class StateWorkers : public AnswerWorkers {
 public:
  StateWorkers() : AnswerWorkers(kThreads, kWaitingMax, "Too many states are asked for.") {}

 private:
  // As many as there are, states can keep busy; those who read and append need the other processors.
  static constexpr std::size_t kThreads = 2;
  // Most hold little more than the name of a stream, some a script of at most 1 MiB.
  static constexpr std::size_t kWaitingMax = 128;
};

}  // namespace cairn::api
