#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "api/http/responder.h"
#include "api/http/worker_pool.h"

namespace cairn::api {

// Threads that make answers which take long, while the server's own threads go on serving others. Any thread.
class AnswerWorkers {
 public:
  // `refusal` is what a client is told when too many wait.
  AnswerWorkers(std::size_t threads, std::size_t waiting_max, std::string refusal)
      : refusal_(std::move(refusal)), pool_(threads, waiting_max) {}

  // Answers later with what `make` returns. With 503 when too many wait, and when it was stopped first.
  void answer(const Responder& respond, std::function<HttpResponse()> make);

  // Finishes what is under way, and refuses what waits or comes later.
  void stop() { pool_.stop(); }

 private:
  const std::string refusal_;
  WorkerPool pool_;
};

}  // namespace cairn::api
