#include "api/http/router.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "api/http/problem.h"
#include "eventstore/json/json_text.h"

namespace cairn::api {

namespace {

// "/streams/order-42" -> "streams", "order-42". A trailing slash makes an empty last segment, so that
// "/streams/" is not "/streams".
std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    path.remove_prefix(1);
    const auto slash = path.find('/');
    segments.push_back(path.substr(0, slash));
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash);
  }
  return segments;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The byte that the two hexadecimal digits at `at` stand for; nullopt when there are none.
std::optional<char> hex_byte(std::string_view text, std::size_t at) {
  if (at + 2 > text.size()) return std::nullopt;
  const int high = hex_value(text[at]);
  const int low = hex_value(text[at + 1]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<char>(high * 16 + low);
}

// nullopt when a '%' is not followed by two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const auto byte = hex_byte(text, i + 1);
    if (!byte) return std::nullopt;
    decoded += *byte;
    i += 2;
  }
  return decoded;
}

// A name or a value of a query. More lenient than percent_decoded(): a '+' is a space, and a '%' that begins
// no escape stays as it is. %u2603, which JavaScript's escape() writes, is what \u2603 is in JSON; half of a
// surrogate pair is left out.
std::string query_decoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i] == '+' ? ' ' : text[i];
    } else if (const auto byte = hex_byte(text, i + 1)) {
      decoded += *byte;
      i += 2;
    } else {
      const std::string escape = "\\" + std::string(text.substr(i + 1, 5));
      const auto unit = json_escape_unit(escape);
      if (!unit) {
        decoded += '%';
        continue;
      }
      if (!is_high_surrogate(*unit) && !is_low_surrogate(*unit)) decoded += json_unescaped(escape);
      i += 5;
    }
  }
  return decoded;
}

// The parts between separators, without the empty ones.
std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool is_parameter(std::string_view segment) { return segment.starts_with('{'); }

// Segments are compared before they are decoded: an encoded slash does not separate segments.
bool matches(const std::vector<std::string>& pattern, const std::vector<std::string_view>& path) {
  if (pattern.size() != path.size()) return false;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (is_parameter(pattern[i]) ? path[i].empty() : pattern[i] != path[i]) return false;
  }
  return true;
}

// False when a segment cannot be decoded.
bool take_parameters(const std::vector<std::string>& pattern, const std::vector<std::string_view>& path,
                     std::map<std::string, std::string>& parameters) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (!is_parameter(pattern[i])) continue;
    auto value = percent_decoded(path[i]);
    if (!value) return false;
    parameters[pattern[i].substr(1, pattern[i].size() - 2)] = *std::move(value);
  }
  return true;
}

}  // namespace

std::optional<std::vector<std::string>> path_segments(std::string_view path) {
  std::vector<std::string> segments;
  for (const std::string_view segment : split(path)) {
    auto decoded = percent_decoded(segment);
    if (!decoded) return std::nullopt;
    segments.push_back(*std::move(decoded));
  }
  return segments;
}

std::optional<QueryParameters> parse_query(std::string_view query) {
  const auto queries = parts_of(query, '?');
  if (queries.size() > 1) return std::nullopt;
  QueryParameters parameters;
  if (queries.empty()) return parameters;
  std::set<std::string_view> seen;
  for (const std::string_view pair : parts_of(queries.front(), '&')) {
    if (!seen.insert(pair).second) continue;
    const std::size_t name_end = std::min(pair.find('='), pair.size());
    if (name_end == 0) continue;
    // A value may contain further '=': names of streams and tags do.
    const std::string_view value = pair.substr(std::min(name_end + 1, pair.size()));
    parameters.emplace(query_decoded(pair.substr(0, name_end)), query_decoded(value));
  }
  return parameters;
}

Router::Router(std::vector<Route> routes) : routes_(std::move(routes)) {
  for (const Route& route : routes_) {
    const auto parts = split(route.path);
    segments_.emplace_back(parts.begin(), parts.end());
    const bool is_registry = route.dialect == Dialect::kSchemaRegistry && !parts.front().empty();
    if (is_registry) registry_beginnings_.emplace(parts.front());
  }
}

RouteMatch Router::find(std::string_view method, std::string_view path) const {
  auto segments = split(path);
  if (method == "HEAD") method = "GET";
  RouteMatch match;
  if (!segments.empty() && registry_beginnings_.contains(segments.front())) {
    match.dialect = Dialect::kSchemaRegistry;
    if (segments.size() > 1 && segments.back().empty()) segments.pop_back();
  }
  std::string allowed;
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    if (!matches(segments_[i], segments)) continue;
    if (routes_[i].method != method) {
      allowed += (allowed.empty() ? "" : ", ") + routes_[i].method;
      continue;
    }
    match.route = &routes_[i];
    if (!take_parameters(segments_[i], segments, match.parameters)) {
      match.outcome =
          invalid_request("The path has a '%' that is not followed by two hexadecimal digits.", "path");
    }
    return match;
  }
  if (allowed.empty()) {
    match.outcome = not_found("path", path);
  } else {
    match.outcome =
        Problem(405, "method-not-allowed", "Method not allowed", "This path supports " + allowed + ".")
            .allow(allowed);
  }
  return match;
}

void Router::handle(RouteMatch match, HttpRequest request, Responder respond) {
  if (!match.outcome) {
    respond(match.outcome.error().to_response(match.dialect));
    return;
  }
  request.parameters = std::move(match.parameters);
  match.route->handle(request, std::move(respond));
}

}  // namespace cairn::api
