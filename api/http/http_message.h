#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/http/body_source.h"

namespace cairn::api {

struct Token;

// Whether two header names are equal. HTTP ignores their case.
bool same_header_name(std::string_view one, std::string_view other);

using QueryParameters = std::multimap<std::string, std::string>;

// One request as a route sees it. The views live until the route's handler returns.
struct HttpRequest {
  std::string_view method;
  std::string_view path;                          // as sent, still percent-encoded, without the query
  std::map<std::string, std::string> parameters;  // the segments for {name} in the route's path, decoded
  QueryParameters query;                          // decoded
  std::vector<std::pair<std::string_view, std::string_view>> headers;  // as sent
  std::string_view body;
  std::shared_ptr<const Token> token;  // the client's; nullptr when the server requires none
  // The server requires tokens, and the request has none; only to routes that allow it (Route::scope and
  // Route::allows_anonymous).
  bool is_anonymous = false;
  std::string_view id;  // X-Request-Id, of the client or of the server

  // The first header of that name, or nullopt.
  std::optional<std::string_view> header(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type;
  std::string body;
  std::shared_ptr<BodySource> stream;  // a body that is made while it is sent; `body` is then empty
  // REQUIRES: neither names nor values come from a client unless they were checked: a line break in one would
  // inject further headers.
  std::vector<std::pair<std::string, std::string>> headers;
};

HttpResponse json_response(int status, std::string json);

}  // namespace cairn::api
