#pragma once

#include <optional>

#include "api/access/access_list.h"
#include "api/http/problem.h"
#include "api/http/request_head.h"
#include "api/http/router.h"

namespace cairn::api {

// Decides whether a request is served, before its body is read. Immutable, hence thread-safe.
class Admission {
 public:
  // Admits every client on this machine. The Host header must name this machine, which stops DNS rebinding: a
  // browser on this machine runs the scripts of other sites, and such a site may point its own name to
  // 127.0.0.1.
  Admission() = default;

  // Admits clients that send one of these tokens.
  explicit Admission(AccessList tokens) : tokens_(std::move(tokens)) {}

  // The token that the request carries, nullptr where none is needed, or why the request is refused. `route`
  // may be nullptr: a client without a token gets 401 for unknown paths too, and learns nothing about which
  // exist.
  Answered<const Token*> admit(const RequestHead& head, const Route* route) const;

 private:
  std::optional<AccessList> tokens_;
};

}  // namespace cairn::api
