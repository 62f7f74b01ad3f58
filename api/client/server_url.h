#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eventstore/base/result.h"

namespace cairn::api {

// Where a server is.
struct ServerUrl {
  bool tls = false;
  std::string host;  // an IPv6 address without its brackets
  std::uint16_t port = 0;
  std::string prefix;  // a path before every path, as a proxy may want it: "" or "/cairn"

  friend bool operator==(const ServerUrl&, const ServerUrl&) = default;
};

// Reads http://host[:port][/prefix] or https://…; without a port it is 80 or 443, as URLs have it.
// kInvalidArgument for anything else, also for a URL with a user and password in it: command lines and
// variables are seen by others.
Result<ServerUrl> parse_server_url(std::string_view text);

// `text` as one segment of a path or as a value of a query: all but letters, digits and -._~ becomes %XX.
std::string percent_encoded(std::string_view text);

}  // namespace cairn::api
