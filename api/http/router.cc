#include "api/http/router.h"

#include <optional>
#include <utility>

#include "api/http/problem.h"

namespace cairn::api {

namespace {

// "/streams/order-42" -> "streams", "order-42". A slash at the end makes an empty last segment, which is
// another path.
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

// nullopt when a '%' is not followed by two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_value(text[i + 1]);
    const int low = hex_value(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

bool is_parameter(std::string_view segment) { return segment.starts_with('{'); }

// Segments are compared before they are decoded, so an encoded slash never makes two segments of one.
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
      match.problem =
          invalid_request("The path has a '%' that is not followed by two hexadecimal digits.", "path");
    }
    return match;
  }
  if (allowed.empty()) {
    match.problem = not_found("path", path);
  } else {
    match.problem =
        Problem(405, "method-not-allowed", "Method not allowed", "This path has only " + allowed + ".")
            .allow(allowed);
  }
  return match;
}

void Router::handle(RouteMatch match, HttpRequest request, Responder respond) {
  if (match.problem) {
    respond(match.problem->to_response(match.dialect));
    return;
  }
  request.parameters = std::move(match.parameters);
  match.route->handle(request, std::move(respond));
}

}  // namespace cairn::api
