#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eventstore/base/result.h"

namespace cairn::api {

// Where the server listens. Port 0 lets the operating system choose one.
struct ListenAddress {
  std::string host;  // an IP address
  std::uint16_t port = 0;

  // "127.0.0.1:7878", "[::1]:7878"
  std::string to_string() const;
};

// Reads HOST:PORT. HOST is an IPv4 address, an IPv6 address in brackets, or "localhost", which means
// 127.0.0.1. Other names are refused: what they stand for can change behind the server's back. Fails with
// kInvalidArgument.
Result<ListenAddress> parse_listen_address(std::string_view text);

// Succeeds for addresses that only this machine can reach. Any other fails with kFailedPrecondition and says
// why: without tokens nobody asks clients who they are.
Status check_reachable_only_from_here(const ListenAddress& address);

}  // namespace cairn::api
