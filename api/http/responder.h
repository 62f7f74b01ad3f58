#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "api/http/fair_queue.h"
#include "api/http/http_message.h"
#include "eventstore/base/mutex.h"
#include "eventstore/base/work_budget.h"

namespace cairn::api {

// The answer to one request: a route puts it, the connection takes it. Thread-safe.
class PendingAnswer {
 public:
  explicit PendingAnswer(const WorkLimits& limits = {}, ClientId client = 0)
      : budget_(limits), client_(client) {}

  ClientId client() const { return client_; }

  // What may be spent on the answer. Belongs to the thread that works on it; the connection cancels it when
  // the client leaves.
  WorkBudget& budget() { return budget_; }

  // Whether the work on the answer may be cancelled when the client leaves; an append, once it is queued, may
  // not. Set by the route before its handler returns.
  void set_cancellable() { cancellable_ = true; }
  bool is_cancellable() const { return cancellable_; }

  // The first answer counts; later ones are dropped.
  void put(HttpResponse response);

  // Whether put() was called, even if the answer was taken since.
  bool answered();

  // Moves the answer out; nullopt before put() and after the first take().
  std::optional<HttpResponse> take();

  // Calls `ready` once there is an answer: from the thread that calls put(), or at once from this one.
  void when_ready(std::function<void()> ready);

 private:
  WorkBudget budget_;
  const ClientId client_;
  bool cancellable_ = false;  // the connection's thread writes and reads it
  Mutex mutex_;
  bool answered_ CAIRN_GUARDED_BY(mutex_) = false;
  std::optional<HttpResponse> answer_ CAIRN_GUARDED_BY(mutex_);
  std::function<void()> ready_ CAIRN_GUARDED_BY(mutex_);
};

// The function with which a route answers: called once, now or later, from any thread. No thread waits
// meanwhile. When the last copy is destroyed uncalled, the client gets 500 instead of waiting for ever.
class Responder {
 public:
  explicit Responder(std::shared_ptr<PendingAnswer> answer);

  void operator()(HttpResponse response) const;

  // Of the request: long work charges it, and ends when it has ended. Lives as long as a copy of this object.
  WorkBudget& budget() const;

  // The client may cancel the work by leaving. REQUIRES: called on the connection's thread, in the handler.
  void set_cancellable() const;

  // The client that asks: queues serve clients in turn.
  ClientId client() const;

 private:
  struct Promise;
  std::shared_ptr<Promise> promise_;
};

}  // namespace cairn::api
