#include "api/client/server_url.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace cairn::api {

namespace {

Error wrong(std::string_view text, std::string_view reason) {
  return make_error(
      Errc::kInvalidArgument,
      fmt::format("'{}' is not the URL of a server, like http://127.0.0.1:7878: {}", text, reason));
}

bool take(std::string_view& text, std::string_view front) {
  if (!text.starts_with(front)) return false;
  text.remove_prefix(front.size());
  return true;
}

}  // namespace

Result<ServerUrl> parse_server_url(std::string_view text) {
  ServerUrl url;
  std::string_view rest = text;
  if (take(rest, "https://")) {
    url.tls = true;
  } else if (!take(rest, "http://")) {
    return wrong(text, "it does not begin with http:// or https://");
  }
  const std::size_t path_at = std::min(rest.find('/'), rest.size());
  std::string_view authority = rest.substr(0, path_at);
  std::string_view prefix = rest.substr(path_at);
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  url.prefix = prefix;
  if (authority.find('@') != std::string_view::npos) {
    return make_error(Errc::kInvalidArgument,
                      "a URL must not contain a password; use CAIRN_TOKEN or --token-file");
  }
  const bool odd = std::any_of(rest.begin(), rest.end(), [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '?' || c == '#' ||
           static_cast<unsigned char>(c) >= 0x7f;
  });
  if (odd) return wrong(text, "it has a query, a blank, or a character outside of ASCII");

  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos) return wrong(text, "a ] is missing");
    url.host = authority.substr(1, end - 1);
    port = authority.substr(end + 1);
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    url.host = authority.substr(0, colon);
    port = authority.substr(colon);
  }
  if (url.host.empty()) return wrong(text, "it has no host");
  url.port = url.tls ? 443 : 80;
  if (!port.empty()) {
    const char* end = port.data() + port.size();
    const auto [stop, error] = std::from_chars(port.data() + 1, end, url.port);
    if (port.front() != ':' || error != std::errc() || stop != end || url.port == 0) {
      return wrong(text, "its port is not a number from 1 to 65535");
    }
  }
  return url;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      encoded += c;
    } else {
      encoded += '%';
      encoded += kDigits[byte >> 4];
      encoded += kDigits[byte & 15];
    }
  }
  // As a whole segment, "." and ".." would be removed when the path is normalised.
  if (encoded == ".") return "%2E";
  if (encoded == "..") return "%2E%2E";
  return encoded;
}

}  // namespace cairn::api
