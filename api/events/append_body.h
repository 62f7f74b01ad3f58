#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/problem.h"
#include "eventstore/types.h"

namespace cairn::api {

// An append as a client sent it, parsed and well-formed. The store may still refuse it.
struct AppendBody {
  AppendRequest request;
  // For each event of all streams, in order: the schema version that the client names, 0 = the latest.
  std::vector<std::uint32_t> schema_versions;
  std::optional<GlobalPosition> caused_by = {};  // the event whose consequence the events are

  // Its types are as readers of the newest shape see them.
  std::optional<AppendCondition> condition = {};
};

// The stream of an entry of an append that names none.
inline constexpr std::string_view kDefaultStream = "dcb";

// Both fail with "invalid-request", which names the field, or with "too-large". Pure.

// {"causedBy":…, "condition":…, "expectedVersion":…, "events":[…]}, to be appended to `stream`.
Answered<AppendBody> parse_stream_append(std::string stream, std::string_view body);

// {"causedBy":…, "condition":…, "appends":[{"stream":…, "expectedVersion":…, "events":[…]}, …]}
// "condition" is {"failIfEventsMatch":{"items":[…]}, "after":…}.
Answered<AppendBody> parse_append(std::string_view body);

}  // namespace cairn::api
