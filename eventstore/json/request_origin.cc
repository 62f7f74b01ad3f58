#include "eventstore/json/request_origin.h"

#include "eventstore/json/json_writer.h"

namespace cairn {

std::string metadata_of(const RequestOrigin& origin, std::string_view outcome) {
  if (origin == RequestOrigin{} && outcome.empty()) return "";
  return json_object([&](JsonWriter& json) {
    if (!origin.actor.empty()) json.text("actor", origin.actor);
    if (!origin.request_id.empty()) json.text("requestId", origin.request_id);
    if (!outcome.empty()) json.text("outcome", outcome);
  });
}

}  // namespace cairn
