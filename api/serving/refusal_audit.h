#pragma once

#include <string>

#include "api/http/http_message.h"
#include "api/http/problem.h"
#include "eventstore/event_store.h"
#include "eventstore/json/request_origin.h"

namespace cairn::api {

// Writes down in $audit that a command of an operator was refused. A copy outlives the request's handler.
class RefusalAudit {
 public:
  // REQUIRES: `store` outlives it; the request was admitted with the scope `admin`.
  RefusalAudit(EventStore& store, const HttpRequest& request);

  // Appends CommandRefused if the problem tells about the server's state or about a script (409, 422), and
  // not about the request alone. Returns when the event is on disk; a failure is only logged, because the
  // client is answered with the problem in any case. Not for a callback of the store, which must not block.
  void note(const Problem& problem) const;

 private:
  EventStore& store_;
  std::string method_;
  std::string path_;
  RequestOrigin origin_;
};

}  // namespace cairn::api
