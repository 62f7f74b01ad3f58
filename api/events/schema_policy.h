#pragma once

#include <optional>

#include "api/events/append_body.h"
#include "api/http/problem.h"

namespace cairn::api {

// What becomes of events whose type has no schema.
enum class SchemaPolicy {
  kRequired,  // they are refused
  kOptional,  // their data is free JSON
};

// nullopt when every event may be stored, else "unknown-type" with the events that may not.
std::optional<Problem> check_types(const AppendBody& body, SchemaPolicy policy);

}  // namespace cairn::api
