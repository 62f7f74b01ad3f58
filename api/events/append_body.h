#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/http/problem.h"
#include "eventstore/types.h"

namespace cairn::api {

// What a client wants appended, read from JSON and well-formed. Whether the store takes it is another matter.
struct AppendBody {
  AppendRequest request;
  // For each event, through all streams: the schema version the client names, 0 = the latest.
  std::vector<std::uint32_t> schema_versions;
};

// {"expectedVersion":…, "events":[…]}, to be appended to `stream`.
std::variant<AppendBody, Problem> parse_stream_append(std::string stream, std::string_view body);

// {"appends":[{"stream":…, "expectedVersion":…, "events":[…]}, …]}
std::variant<AppendBody, Problem> parse_append(std::string_view body);

}  // namespace cairn::api
