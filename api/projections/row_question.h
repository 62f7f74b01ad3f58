#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api/http/http_message.h"
#include "api/http/responder.h"
#include "api/projections/projection_service.h"

namespace cairn::api {

// What was found when rows were read, and through which position of the log the rows were known then.
struct RowsFound {
  GlobalPosition position;
  HttpResponse response;
};

// A client's question for rows of a projection that may have to be as far as a position of the log. Does not
// change; any thread.
struct RowQuestion {
  std::string name;
  std::optional<GlobalPosition> min_position;
  std::chrono::milliseconds wait{0};
  std::function<Result<RowsFound>(ProjectionDaemon& daemon)> read;

  // What there is to say now.
  struct Sight {
    HttpResponse response;
    bool may_change = false;  // the rows are not there yet, or not far enough
  };
  Sight look(ProjectionDaemon& daemon) const;

  // Whether the client would wait for rows that are behind.
  bool waits() const { return min_position && wait.count() > 0; }
};

// Answers when the rows are as far as is wanted, or the wait is over. No thread waits meanwhile; the rows are
// read by the service's readers.
void answer_when_there(ProjectionService& service, const std::shared_ptr<const RowQuestion>& question,
                       const Responder& respond);

}  // namespace cairn::api
