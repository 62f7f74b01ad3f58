#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "api/http/http_message.h"

namespace cairn::api {

// Where the answer to one request is put by a route and picked up by the connection. Any thread.
class PendingAnswer {
 public:
  // The first answer counts; later ones are dropped.
  void put(HttpResponse response);

  // Whether there was an answer, taken or not.
  bool answered();

  // The answer, once it is there.
  std::optional<HttpResponse> take();

  // Calls `ready` as soon as there is an answer, at once if there is one already; from the thread that
  // answers.
  void when_ready(std::function<void()> ready);

 private:
  std::mutex mutex_;
  bool answered_ = false;
  std::optional<HttpResponse> answer_;
  std::function<void()> ready_;
};

// What a route answers through: called once, now or later, from any thread. No thread waits meanwhile. When
// the last copy goes away unused the client is told of an internal error, rather than kept waiting for ever.
class Responder {
 public:
  explicit Responder(std::shared_ptr<PendingAnswer> answer);

  void operator()(HttpResponse response) const;

 private:
  struct Promise;
  std::shared_ptr<Promise> promise_;
};

}  // namespace cairn::api
