#include "api/http/browser_origins.h"

#include <algorithm>
#include <optional>

namespace cairn::api {

namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";

Error not_an_origin(std::string_view text, std::string_view reason) {
  return make_error(Errc::kInvalidArgument,
                    "'" + std::string(text) + "' is not an origin: " + std::string(reason) +
                        ". Write it like https://app.example or http://localhost:3000.");
}

bool is_host_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("-._[]:").find(c) != std::string_view::npos;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

// The text behind `scheme`, or nothing when the origin has another one.
std::string_view behind(std::string_view scheme, std::string_view origin) {
  return origin.size() > scheme.size() && same_header_name(origin.substr(0, scheme.size()), scheme)
             ? origin.substr(scheme.size())
             : std::string_view();
}

}  // namespace

Result<std::string> parse_origin(std::string_view text) {
  const std::string origin = lower_case(text);
  const bool https = origin.starts_with(kHttps);
  if (!https && !origin.starts_with(kHttp)) {
    return not_an_origin(text, "it does not begin with https:// or http://");
  }
  const std::string_view scheme = https ? kHttps : kHttp;
  std::string_view authority = std::string_view(origin).substr(scheme.size());
  if (authority.empty() || !std::all_of(authority.begin(), authority.end(), is_host_char)) {
    return not_an_origin(text, "a host, and a port if it is not the usual one, and nothing else, follow");
  }
  const std::string_view usual_port = https ? ":443" : ":80";
  if (authority.ends_with(usual_port)) authority.remove_suffix(usual_port.size());
  return std::string(scheme).append(authority);
}

bool BrowserOrigins::is_own(std::string_view origin, std::string_view host) const {
  std::string_view authority = behind(kHttps, origin);
  if (authority.empty() && !tls_) authority = behind(kHttp, origin);
  return !authority.empty() && same_header_name(authority, host);
}

Answered<std::string_view> BrowserOrigins::check(const RequestHead& head, const Route* route) const {
  std::string_view host;
  std::string_view allowed;
  std::optional<std::string_view> foreign;
  std::string_view site;
  bool navigates = false;
  for (const auto& [name, value] : head.headers) {
    if (same_header_name(name, "Host")) host = value;
    if (same_header_name(name, "Sec-Fetch-Mode")) navigates = value == "navigate";
    if (same_header_name(name, "Sec-Fetch-Site") && (value == "cross-site" || value == "same-site"))
      site = value;
  }
  for (const auto& [name, value] : head.headers) {
    if (!same_header_name(name, "Origin") || is_own(value, host)) continue;
    const auto found = std::find(allowed_.begin(), allowed_.end(), value);
    if (found == allowed_.end()) {
      foreign = value;
    } else {
      allowed = *found;
    }
  }
  if (foreign) {
    return forbidden("The request comes from a page of the origin '" + std::string(*foreign) +
                     "', which --cors-origin does not name.");
  }
  if (!allowed.empty()) return allowed;
  const bool opens_page = navigates && head.method == "GET" && route != nullptr && route->is_page;
  if (site.empty() || opens_page) return std::string_view();
  return forbidden("The request comes from a page of another origin (Sec-Fetch-Site: " + std::string(site) +
                   "), and --cors-origin names none that it says it has.");
}

bool is_preflight(const RequestHead& head) {
  return head.method == "OPTIONS" &&
         std::any_of(head.headers.begin(), head.headers.end(), [](const auto& each) {
           return same_header_name(each.first, "Access-Control-Request-Method");
         });
}

HttpResponse preflight_response() {
  HttpResponse response;
  response.status = 204;
  response.headers.emplace_back("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE");
  response.headers.emplace_back(
      "Access-Control-Allow-Headers",
      "Accept, Authorization, Content-Type, Last-Event-ID, traceparent, X-Request-Id");
  response.headers.emplace_back("Access-Control-Max-Age", "600");
  return response;
}

void add_cors_headers(std::string_view origin, HttpResponse& response) {
  response.headers.emplace_back("Access-Control-Allow-Origin", origin);
  response.headers.emplace_back("Access-Control-Expose-Headers",
                                "Allow, Retry-After, WWW-Authenticate, X-Request-Id");
  response.headers.emplace_back("Vary", "Origin");
}

}  // namespace cairn::api
