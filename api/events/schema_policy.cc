#include "api/events/schema_policy.h"

#include <string>

#include "eventstore/json/json_text.h"

namespace cairn::api {

namespace {

// A request may have thousands of events; nobody reads more than this.
constexpr std::size_t kErrorsShown = 100;

}  // namespace

std::optional<Problem> check_types(const AppendBody& body, SchemaPolicy policy) {
  std::string errors;
  std::string first_type;
  std::size_t event_index = 0;
  std::size_t unknown = 0;
  for (const StreamAppend& append : body.request.streams) {
    for (const NewEvent& event : append.events) {
      const std::size_t index = event_index++;
      const std::uint32_t version = body.schema_versions[index];
      if (policy == SchemaPolicy::kOptional && version == 0) continue;
      if (unknown++ == 0) first_type = event.type;
      if (unknown > kErrorsShown) continue;
      const std::string expected = version == 0
                                       ? "a registered schema"
                                       : "version " + std::to_string(version) + " of a registered schema";
      errors += errors.empty() ? "" : ",";
      errors += R"({"event":)" + std::to_string(index) + R"(,"path":"","expected":)";
      append_json_string(errors, expected);
      errors += R"(,"found":)";
      append_json_string(errors, event.type);
      errors += '}';
    }
  }
  if (unknown == 0) return std::nullopt;
  std::string detail = "No schema is registered for the type " + first_type;
  if (unknown > 1) detail += " and others, in " + std::to_string(unknown) + " events";
  detail += ". Register one, or start the server with --schemas optional.";
  return Problem(422, "unknown-type", "The event type is not known", std::move(detail))
      .with_json("errors", "[" + errors + "]");
}

}  // namespace cairn::api
