#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eventstore/base/result.h"

namespace cairn::api {

// The address that the server listens on. With port 0 the operating system chooses one.
struct ListenAddress {
  std::string host;  // an IP address
  std::uint16_t port = 0;

  // "127.0.0.1:7878", "[::1]:7878"
  std::string to_string() const;
};

// Parses HOST:PORT. HOST is an IPv4 address, an IPv6 address in brackets, or "localhost", which means
// 127.0.0.1. Other names are refused, because the address they resolve to can change. Fails with
// kInvalidArgument.
Result<ListenAddress> parse_listen_address(std::string_view text);

// Fails with kFailedPrecondition unless the address is a loopback address: without tokens clients are not
// authenticated.
Status check_loopback(const ListenAddress& address);

}  // namespace cairn::api
