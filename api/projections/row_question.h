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

// The answer from the rows, and the position of the log up to which they are built.
struct RowsFound {
  GlobalPosition position;
  HttpResponse response;
};

// A client's read of rows, which may require that the rows have reached a position of the log. Immutable;
// thread-safe.
struct RowQuestion {
  std::string name;
  std::optional<GlobalPosition> min_position;
  std::chrono::milliseconds wait{0};
  std::function<Result<RowsFound>(ReadModels& models)> read;

  // The answer at this moment.
  struct Sight {
    HttpResponse response;
    bool may_change = false;  // the rows are not built yet, or have not reached min_position
  };
  Sight look(ReadModels& models) const;

  // Whether the client waits for rows that have not reached min_position.
  bool waits() const { return min_position && wait.count() > 0; }
};

// Answers when the rows have reached min_position, or the wait is over. No thread blocks meanwhile; a thread
// of service.readers() reads the rows.
void answer_when_there(ProjectionService& service, const std::shared_ptr<const RowQuestion>& question,
                       const Responder& respond);

}  // namespace cairn::api
