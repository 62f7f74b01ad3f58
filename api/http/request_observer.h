#pragma once

#include <chrono>

#include "api/http/router.h"

namespace cairn::api {

// Counts what the server does. Called from every thread of the server, on the path of every request: must be
// thread-safe and fast.
class RequestObserver {
 public:
  virtual ~RequestObserver() = default;

  virtual void connection_opened() {}
  virtual void connection_closed() {}

  // The client left while its request was being worked on, and the work was cancelled.
  virtual void cancelled() {}

  // A stream was closed because its client did not read, and another client would have been refused.
  virtual void stream_closed() {}

  // A request was answered. `route` is nullptr when its path and method have none, or when it was refused
  // before routing. `took` is the time from its last byte to the answer.
  virtual void answered(const Route* route, int status, std::chrono::nanoseconds took) = 0;
};

}  // namespace cairn::api
