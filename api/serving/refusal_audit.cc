#include "api/serving/refusal_audit.h"

#include <utility>

#include "api/http/server_log.h"
#include "api/serving/route_tools.h"
#include "eventstore/json/json_writer.h"
#include "projections/runner/audit.h"

namespace cairn::api {

RefusalAudit::RefusalAudit(EventStore& store, const HttpRequest& request)
    : store_(store), method_(request.method), path_(request.path), origin_(origin_of(request)) {}

void RefusalAudit::note(const Problem& problem) const {
  if (problem.status() != 409 && problem.status() != 422) return;
  ProjectionAudit audit(store_);
  const Status noted = audit.note("CommandRefused", json_object([&](JsonWriter& json) {
                                    json.text("method", method_);
                                    json.text("path", path_);
                                    json.text("problem", problem.slug());
                                  }),
                                  origin_, kOutcomeRefused);
  if (!noted) {
    server_log(LogEvent(LogLevel::kWarning, "audit-failed",
                        "A refused command could not be written to $audit: " + noted.error().message)
                   .with("error", noted.error().message));
  }
}

}  // namespace cairn::api
