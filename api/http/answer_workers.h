#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>

#include "api/http/responder.h"
#include "api/http/worker_pool.h"
#include "eventstore/base/mutex.h"
#include "eventstore/base/work_budget.h"

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

  // Cancels the answers that are being made, by their budgets, and waits for them; queued and later ones are 503.
  void stop() CAIRN_EXCLUDES(mutex_);

 private:
  class QueuedAnswer;

  const std::string refusal_;
  Mutex mutex_;
  bool stopping_ CAIRN_GUARDED_BY(mutex_) = false;
  std::set<WorkBudget*> under_way_ CAIRN_GUARDED_BY(mutex_);  // of the answers that are being made
  WorkerPool pool_;                                           // last: its threads use the others
};

}  // namespace cairn::api
