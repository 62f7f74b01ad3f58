#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/http/problem.h"
#include "api/http/server_limits.h"

namespace cairn::api {

// A request's first line and headers, checked. Views into the text it was read from.
struct RequestHead {
  std::string_view method;
  std::string_view target;
  std::vector<std::pair<std::string_view, std::string_view>> headers;
  std::uint64_t content_length = 0;
  bool is_http_1_0 = false;       // the client knows no chunks
  bool keep_alive = true;         // the client wants to send another request afterwards
  bool expects_continue = false;  // the client waits for "100 Continue" before it sends the body
};

// Reads what stands before the body. `text` includes the empty line at its end.
//
// Strict where leniency is how requests get smuggled past a proxy: lines end with CRLF, nothing is folded,
// there is one Host and at most one Content-Length. Transfer-Encoding and Content-Encoding are refused,
// because with them the length says nothing about the bytes to come.
std::variant<RequestHead, Problem> parse_request_head(std::string_view text, const ServerLimits& limits);

}  // namespace cairn::api
