#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eventstore/base/result.h"

namespace cairn::api {

// The URL of a server.
struct ServerUrl {
  bool tls = false;
  std::string host;  // an IPv6 address without its brackets
  std::uint16_t port = 0;
  std::string prefix;  // put before every path, for a reverse proxy: "" or "/cairn"

  friend bool operator==(const ServerUrl&, const ServerUrl&) = default;
};

// Parses http://host[:port][/prefix] or https://…; the default port is 80 or 443. kInvalidArgument for
// anything else, also for a URL with a user and password, because other users can see command lines.
Result<ServerUrl> parse_server_url(std::string_view text);

// `text` as one segment of a path or a value of a query: every byte but letters, digits and -._~ becomes %XX.
std::string percent_encoded(std::string_view text);

}  // namespace cairn::api
