#pragma once

#include <cstddef>
#include <functional>

#include "api/http/responder.h"
#include "api/http/worker_pool.h"

namespace cairn::api {

// The threads that fold states: a long stream without a snapshot takes seconds, and a deployment waits for
// the disk, while the server's own threads go on serving others. Any thread.
class StateWorkers {
 public:
  // Answers later with what `make` returns. With 503 when too many wait, and when it was stopped first.
  void answer(const Responder& respond, std::function<HttpResponse()> make);

  // Finishes what is under way, and refuses what waits or comes later.
  void stop() { pool_.stop(); }

 private:
  // As many as there are, states can keep busy; those who read and append need the other processors.
  static constexpr std::size_t kThreads = 2;
  // Most hold little more than the name of a stream, some a script of at most 1 MiB.
  static constexpr std::size_t kWaitingMax = 128;

  WorkerPool pool_{kThreads, kWaitingMax};
};

}  // namespace cairn::api
