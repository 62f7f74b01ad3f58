#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/http/problem.h"
#include "api/http/request_head.h"
#include "api/http/router.h"
#include "eventstore/base/result.h"

namespace cairn::api {

// An origin as browsers send it: "https://app.example", "http://localhost:3000". Lower case, without a path
// and without the scheme's own port. Fails with kInvalidArgument.
Result<std::string> parse_origin(std::string_view text);

// Refuses the requests that a browser sends on behalf of pages of other sites (CSRF): such a page reaches a
// server that listens on loopback or behind a firewall, and the browser may add stored credentials. Browsers
// tell by Sec-Fetch-Site and Origin, which pages cannot change; requests without these headers are not from a
// page. Immutable, hence thread-safe.
class BrowserOrigins {
 public:
  // Pages of the `allowed` origins may read and write all the same. With `tls` the server's own origin is
  // https; without it http, or https of a proxy.
  // REQUIRES: the origins come from parse_origin().
  BrowserOrigins(std::vector<std::string> allowed, bool tls) : allowed_(std::move(allowed)), tls_(tls) {}

  // The allowed origin that the request comes from, empty when it comes from none; or why it is refused. The
  // view lives as long as this object. `route` may be nullptr.
  Answered<std::string_view> check(const RequestHead& head, const Route* route) const;

 private:
  bool is_own(std::string_view origin, std::string_view host) const;

  std::vector<std::string> allowed_;
  bool tls_;
};

// Whether a browser asks if a page may send a request (CORS preflight).
bool is_preflight(const RequestHead& head);

// The answer for a page of an allowed origin.
HttpResponse preflight_response();

// Lets the page of an allowed origin read the answer.
void add_cors_headers(std::string_view origin, HttpResponse& response);

}  // namespace cairn::api
