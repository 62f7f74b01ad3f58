#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/http/problem.h"
#include "eventstore/event_filter.h"
#include "eventstore/types.h"
#include "upcasters/model/shape.h"

namespace cairn::api {

// The body of POST /events/query.
struct QueryBody {
  EventQuery items;  // types are as the client sees them
  std::optional<GlobalPosition> from = {};
  std::optional<GlobalPosition> until = {};
  std::optional<std::uint64_t> limit = {};
  Direction direction = Direction::kForward;
  Shape shape = Shape::latest();
};

// {"items":[…], "from":…, "until":…, "limit":…, "direction":…, "shape":…}. Fails with "invalid-request" or
// "too-large". Pure.
Answered<QueryBody> parse_query_body(std::string_view body);

}  // namespace cairn::api
