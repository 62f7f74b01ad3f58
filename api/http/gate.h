#pragma once

#include <optional>
#include <variant>

#include "api/access/access_list.h"
#include "api/http/problem.h"
#include "api/http/request_head.h"
#include "api/http/router.h"

namespace cairn::api {

// Decides who comes in, before a body is read. Does not change; any thread.
class Gate {
 public:
  // Lets in everybody on this machine. A browser is on this machine too, and runs the scripts of strangers,
  // so the Host header must name this machine: a stranger's site that points its own name here does not
  // get in.
  Gate() = default;

  // Lets in those who show a token.
  explicit Gate(AccessList tokens) : tokens_(std::move(tokens)) {}

  // The token shown, nullptr where none is needed, or why the request is refused. `route` may be nullptr:
  // strangers are not told which paths there are.
  std::variant<const Token*, Problem> admit(const RequestHead& head, const Route* route) const;

 private:
  std::optional<AccessList> tokens_;
};

}  // namespace cairn::api
