#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace cairn::api {

// A request that was answered, for the access log. Empty texts: not known. The views live until the call returns.
struct AccessRecord {
  std::string_view remote;      // the address of the client, or of the proxy in front of the server
  std::string_view token;       // its name
  std::string_view method;      // empty when the request could not be parsed
  std::string_view target;      // as logged_target() gives it
  std::string_view request_id;  // X-Request-Id
  int status = 0;
  std::uint64_t bytes = 0;           // that were sent, with the head
  std::chrono::nanoseconds took{0};  // from the first byte of the request to the last one of the answer
};

// Called on the connection's thread after each answer: must not block.
using OnAccess = std::function<void(const AccessRecord&)>;

// A target longer than this is cut.
inline constexpr std::size_t kLoggedTargetBytesMax = 2'048;

// Path and query for a log: the value of the parameter `ticket`, which lets its owner in, is left out. A query
// that cannot be parsed is left out as a whole. Never longer than kLoggedTargetBytesMax and a few bytes.
std::string logged_target(std::string_view target);

}  // namespace cairn::api
