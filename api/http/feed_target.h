#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/http/http_message.h"

namespace cairn::api {

// The query parameter with which EventSource sends a ticket.
inline constexpr const char* kTicketParameter = "ticket";

// One text for all ways to write a path and a query: percent signs are decoded, the parameters sorted, and a
// parameter that is given twice with one value counts once. A ticket in the query is left out. nullopt when the
// path has a '%' without two hexadecimal digits. `path` is as sent.
std::optional<std::string> feed_target(std::string_view path, const QueryParameters& query);

}  // namespace cairn::api
