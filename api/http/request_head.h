#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "api/http/problem.h"
#include "api/http/server_limits.h"

namespace cairn::api {

// A request's first line and headers, validated. Its views point into the text that was parsed.
struct RequestHead {
  std::string_view method;
  std::string_view target;
  std::vector<std::pair<std::string_view, std::string_view>> headers;
  std::uint64_t content_length = 0;
  bool is_http_1_0 = false;       // chunked answers are not possible
  bool keep_alive = true;         // another request may follow on this connection
  bool expects_continue = false;  // the client waits for "100 Continue" before it sends the body
};

// Parses a request's head. `text` ends with the empty line.
//
// Strict where leniency allows request smuggling past a proxy: lines end with CRLF, headers are not folded,
// there is one Host and at most one Content-Length. Transfer-Encoding and Content-Encoding are refused,
// because with them Content-Length does not tell where the request ends.
Answered<RequestHead> parse_request_head(std::string_view text, const ServerLimits& limits);

inline constexpr std::string_view kRequestIdHeader = "X-Request-Id";

// The client's X-Request-Id: 1 to 128 printable characters of ASCII. nullopt when it sent none, or another
// text.
std::optional<std::string_view> request_id_of(const RequestHead& head);

}  // namespace cairn::api
