#pragma once

#include <functional>
#include <string>
#include <utility>

#include "api/http/responder.h"
#include "api/http/worker_pool.h"

namespace cairn::api {

// Threads that make answers which take long, so that the threads of the server go on serving other
// connections. Thread-safe.
class AnswerWorkers {
 public:
  // `refusal` is the detail of the 503 that a client gets when the queue is full.
  AnswerWorkers(const WorkerPool::Options& options, std::string refusal)
      : refusal_(std::move(refusal)), pool_(options) {}

  // Answers later with the result of `make`; with 503 when the queue is full, or when stop() comes first; with
  // 429 when the queue is nearly full with requests of the same client.
  void answer(const Responder& respond, std::function<HttpResponse()> make);

  // Finishes the answers that are being made; queued and later ones are 503.
  void stop() { pool_.stop(); }

 private:
  const std::string refusal_;
  WorkerPool pool_;
};

}  // namespace cairn::api
