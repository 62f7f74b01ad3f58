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

// Header names compare without regard to case, as HTTP wants.
bool same_header_name(std::string_view one, std::string_view other);

// One request as a route sees it. The views live until the route returns.
struct HttpRequest {
  std::string_view method;
  std::string_view path;                          // as sent, still percent-encoded, without the query
  std::map<std::string, std::string> parameters;  // what stood for {name} in the route's path, decoded
  std::multimap<std::string, std::string> query;  // decoded
  std::vector<std::pair<std::string_view, std::string_view>> headers;  // as sent
  std::string_view body;
  const Token* token = nullptr;  // what the client showed; nullptr when the server asks for none

  // The first header of that name, or nullopt.
  std::optional<std::string_view> header(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type;
  std::string body;
  std::shared_ptr<BodySource> stream;  // the body when it is made while it is sent; then `body` is empty
  // REQUIRES: neither names nor values come from a client; a line break in them would forge further headers.
  std::vector<std::pair<std::string, std::string>> headers;
};

HttpResponse json_response(int status, std::string json);

}  // namespace cairn::api
