#include "api/net/listen_address.h"

#include <fmt/format.h>

#include <boost/asio/ip/address.hpp>
#include <charconv>

namespace cairn::api {

namespace asio = boost::asio;

namespace {

Error unreadable(std::string_view text, std::string_view reason) {
  return make_error(
      Errc::kInvalidArgument,
      fmt::format("'{}' is not an address to listen on: {}. Write it like 127.0.0.1:7878 or [::1]:7878.",
                  text, reason));
}

}  // namespace

std::string ListenAddress::to_string() const {
  const bool v6 = host.find(':') != std::string::npos;
  return fmt::format("{}:{}", v6 ? "[" + host + "]" : host, port);
}

Result<ListenAddress> parse_listen_address(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    return unreadable(text, is_number ? "it is a port without an address" : "it has no port");
  }

  ListenAddress address;
  const std::string_view port = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc() || end != port.data() + port.size()) {
    return unreadable(text, "the port is not a number from 0 to 65535");
  }

  std::string_view host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.starts_with('[') && host.ends_with(']');
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  boost::system::error_code no_address;
  const auto parsed = asio::ip::make_address(std::string(host), no_address);
  if (no_address || parsed.is_v6() != bracketed) return unreadable(text, "the host is not an IP address");
  address.host = parsed.to_string();
  return address;
}

Status check_loopback(const ListenAddress& address) {
  boost::system::error_code no_address;
  if (asio::ip::make_address(address.host, no_address).is_loopback() && !no_address) return {};
  return make_error(
      Errc::kFailedPrecondition,
      fmt::format(
          "refusing to listen on {}: other machines can reach it, and without tokens every client could read "
          "and write. Give --tokens FILE (`cairn token create` makes one), or listen on 127.0.0.1 or [::1].",
          address.to_string()));
}

}  // namespace cairn::api
