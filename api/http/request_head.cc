#include "api/http/request_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace cairn::api {

namespace {

constexpr std::string_view kLineEnd = "\r\n";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_token_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
}

// Control characters end lines or strings early in programs that log or forward the text.
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Whether a comma-separated header value contains the word.
bool lists(std::string_view value, std::string_view word) {
  while (!value.empty()) {
    const auto comma = value.find(',');
    if (same_header_name(trimmed(value.substr(0, comma)), word)) return true;
    value = comma == std::string_view::npos ? std::string_view() : value.substr(comma + 1);
  }
  return false;
}

Problem head_too_large(std::string detail, std::uint64_t limit) {
  return Problem(431, "head-too-large", "The request head is too large", std::move(detail))
      .with("limit", limit);
}

bool is_known_method(std::string_view method) {
  constexpr std::array<std::string_view, 7> kMethods = {"GET",   "HEAD",   "POST",   "PUT",
                                                        "PATCH", "DELETE", "OPTIONS"};
  return std::find(kMethods.begin(), kMethods.end(), method) != kMethods.end();
}

Answered<void> parse_request_line(std::string_view line, const ServerLimits& limits, RequestHead& head) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return invalid_request("The first line is not METHOD TARGET HTTP/1.1.", "request line");
  }
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);

  if (!is_token(head.method)) return invalid_request("The method is not a token (RFC 9110).", "method");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return Problem(505, "http-version-not-supported", "HTTP version not supported",
                   "The server supports HTTP/1.1 and HTTP/1.0.");
  }
  if (!is_known_method(head.method)) {
    return Problem(501, "method-not-implemented", "Method not implemented", "No path supports this method.");
  }
  if (head.target.size() > limits.target_bytes_max) {
    return Problem(414, "target-too-long", "The path is too long", "Path and query are too long.")
        .with("limit", limits.target_bytes_max);
  }
  const auto is_bad = [](char c) { return is_control(c) || c == ' ' || c == '#'; };
  if (!head.target.starts_with('/') || std::any_of(head.target.begin(), head.target.end(), is_bad)) {
    return invalid_request("The target is not a path that starts with a slash.", "target");
  }
  head.is_http_1_0 = version == "HTTP/1.0";
  head.keep_alive = !head.is_http_1_0;
  return {};
}

Answered<void> parse_header_line(std::string_view line, RequestHead& head) {
  const auto colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  if (colon == std::string_view::npos || !is_token(name)) {
    return invalid_request("A header line is not NAME: VALUE.", "headers");
  }
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (std::any_of(value.begin(), value.end(), [](char c) { return is_control(c) && c != '\t'; })) {
    return invalid_request("A header's value contains a control character.", name);
  }
  head.headers.emplace_back(name, value);
  return {};
}

Answered<void> parse_content_length(std::string_view value, std::uint64_t& length) {
  constexpr std::size_t kDigitsMax = 18;  // cannot overflow, and is beyond every limit
  if (value.empty() || value.size() > kDigitsMax || !std::all_of(value.begin(), value.end(), is_digit)) {
    return invalid_request("Content-Length is not a number.", "Content-Length");
  }
  length = 0;
  for (const char digit : value) length = length * 10 + static_cast<std::uint64_t>(digit - '0');
  return {};
}

// Sets the fields of `head` that say where the request ends and whether another one may follow.
Answered<void> interpret_headers(RequestHead& head) {
  int hosts = 0;
  int lengths = 0;
  bool transfer_encoding = false;
  bool content_encoding = false;
  for (const auto& [name, value] : head.headers) {
    if (same_header_name(name, "Host")) {
      ++hosts;
    } else if (same_header_name(name, "Content-Length")) {
      ++lengths;
      CAIRN_CHECK(parse_content_length(value, head.content_length));
    } else if (same_header_name(name, "Transfer-Encoding")) {
      transfer_encoding = true;
    } else if (same_header_name(name, "Content-Encoding")) {
      content_encoding = true;
    } else if (same_header_name(name, "Connection")) {
      if (lists(value, "close")) head.keep_alive = false;
    } else if (same_header_name(name, "Expect")) {
      if (!same_header_name(value, "100-continue")) {
        return Problem(417, "expectation-failed", "Expectation failed",
                       "The server supports only Expect: 100-continue.");
      }
      head.expects_continue = true;
    }
  }
  if (hosts != 1) return invalid_request("There must be exactly one Host header.", "Host");
  if (lengths > 1) return invalid_request("There is more than one Content-Length.", "Content-Length");
  if (lengths > 0 && transfer_encoding) {
    return invalid_request("Content-Length and Transfer-Encoding exclude each other.", "Transfer-Encoding");
  }
  if (transfer_encoding) {
    return Problem(411, "length-required", "Length required",
                   "Send the body with a Content-Length, not in chunks.");
  }
  if (content_encoding) {
    return Problem(415, "unsupported-media-type", "Unsupported media type",
                   "Send the body without Content-Encoding.");
  }
  return {};
}

}  // namespace

Answered<RequestHead> parse_request_head(std::string_view text, const ServerLimits& limits) {
  RequestHead head;
  bool first_line = true;
  while (true) {
    const auto end = text.find(kLineEnd);
    if (end == std::string_view::npos)
      return invalid_request("The head does not end with an empty line.", "headers");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + kLineEnd.size());
    if (first_line) {
      CAIRN_CHECK(parse_request_line(line, limits, head));
      first_line = false;
      continue;
    }
    if (line.empty()) break;
    if (head.headers.size() == limits.headers_max) {
      return head_too_large(fmt::format("There are more than {} headers.", limits.headers_max),
                            limits.headers_max);
    }
    CAIRN_CHECK(parse_header_line(line, head));
  }
  CAIRN_CHECK(interpret_headers(head));
  return head;
}

std::optional<std::string_view> request_id_of(const RequestHead& head) {
  constexpr std::size_t kBytesMax = 128;
  for (const auto& [name, value] : head.headers) {
    if (!same_header_name(name, kRequestIdHeader)) continue;
    const bool printable =
        std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (value.empty() || value.size() > kBytesMax || !printable) return std::nullopt;
    return value;
  }
  return std::nullopt;
}

}  // namespace cairn::api
