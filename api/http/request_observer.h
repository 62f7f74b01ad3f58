#pragma once

#include <chrono>

#include "api/http/router.h"

namespace cairn::api {

// Told of what the server does, for those who count. Any thread; must be quick.
class RequestObserver {
 public:
  virtual ~RequestObserver() = default;

  virtual void connection_opened() {}
  virtual void connection_closed() {}

  // A request was answered; `route` is nullptr when its path or method has none, or it was refused before
  // anybody looked. `took` is from its last byte to the answer.
  virtual void answered(const Route* route, int status, std::chrono::nanoseconds took) = 0;
};

}  // namespace cairn::api
