#include "api/http/request_head.h"

#include <algorithm>
#include <array>
#include <optional>
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

// Control characters end lines or strings in the wrong place somewhere down the road.
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Whether a comma-separated header value has the word in it.
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

std::optional<Problem> parse_request_line(std::string_view line, const ServerLimits& limits,
                                          RequestHead& head) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return invalid_request("The first line is not METHOD TARGET HTTP/1.1.", "request line");
  }
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);

  if (!is_token(head.method)) return invalid_request("The method is not a word.", "method");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return Problem(505, "http-version-not-supported", "HTTP version not supported",
                   "Only HTTP/1.1 is spoken here.");
  }
  if (!is_known_method(head.method)) {
    return Problem(501, "method-not-implemented", "Method not implemented", "No path has this method.");
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
  return std::nullopt;
}

std::optional<Problem> parse_header_line(std::string_view line, RequestHead& head) {
  const auto colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  if (colon == std::string_view::npos || !is_token(name)) {
    return invalid_request("A header line is not NAME: VALUE.", "headers");
  }
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (std::any_of(value.begin(), value.end(), [](char c) { return is_control(c) && c != '\t'; })) {
    return invalid_request("A header's value has a control character in it.", name);
  }
  head.headers.emplace_back(name, value);
  return std::nullopt;
}

std::optional<Problem> parse_content_length(std::string_view value, std::uint64_t& length) {
  constexpr std::size_t kDigitsMax = 18;  // never overflows, and far beyond any limit
  if (value.empty() || value.size() > kDigitsMax || !std::all_of(value.begin(), value.end(), is_digit)) {
    return invalid_request("Content-Length is not a number.", "Content-Length");
  }
  length = 0;
  for (const char digit : value) length = length * 10 + static_cast<std::uint64_t>(digit - '0');
  return std::nullopt;
}

// Draws from the headers what decides where the request ends and what happens afterwards.
std::optional<Problem> interpret_headers(RequestHead& head) {
  int hosts = 0;
  int lengths = 0;
  bool transfer_encoding = false;
  bool content_encoding = false;
  for (const auto& [name, value] : head.headers) {
    if (same_header_name(name, "Host")) {
      ++hosts;
    } else if (same_header_name(name, "Content-Length")) {
      ++lengths;
      if (auto problem = parse_content_length(value, head.content_length)) return problem;
    } else if (same_header_name(name, "Transfer-Encoding")) {
      transfer_encoding = true;
    } else if (same_header_name(name, "Content-Encoding")) {
      content_encoding = true;
    } else if (same_header_name(name, "Connection")) {
      if (lists(value, "close")) head.keep_alive = false;
    } else if (same_header_name(name, "Expect")) {
      if (!same_header_name(value, "100-continue")) {
        return Problem(417, "expectation-failed", "Expectation failed", "Only 100-continue can be expected.");
      }
      head.expects_continue = true;
    }
  }
  if (hosts != 1) return invalid_request("There must be one Host header.", "Host");
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
  return std::nullopt;
}

}  // namespace

std::variant<RequestHead, Problem> parse_request_head(std::string_view text, const ServerLimits& limits) {
  RequestHead head;
  bool first_line = true;
  while (true) {
    const auto end = text.find(kLineEnd);
    if (end == std::string_view::npos)
      return invalid_request("The head does not end with an empty line.", "headers");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + kLineEnd.size());
    if (first_line) {
      if (auto problem = parse_request_line(line, limits, head)) return *std::move(problem);
      first_line = false;
      continue;
    }
    if (line.empty()) break;
    if (head.headers.size() == limits.headers_max) {
      return head_too_large("There are more than " + std::to_string(limits.headers_max) + " headers.",
                            limits.headers_max);
    }
    if (auto problem = parse_header_line(line, head)) return *std::move(problem);
  }
  if (auto problem = interpret_headers(head)) return *std::move(problem);
  return head;
}

}  // namespace cairn::api
