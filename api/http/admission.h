#pragma once

#include <memory>
#include <optional>

#include "api/access/access_list.h"
#include "api/http/problem.h"
#include "api/http/request_head.h"
#include "api/http/router.h"
#include "eventstore/base/mutex.h"

namespace cairn::api {

// Decides whether a request is served, before its body is read. Thread-safe.
class Admission {
 public:
  // Admits clients that send one of these tokens. Without tokens it admits every client on this machine: the
  // Host header must name this machine, which stops DNS rebinding: a browser on this machine runs the scripts
  // of other sites, and such a site may point its own name to 127.0.0.1.
  explicit Admission(std::optional<AccessList> tokens);

  // Whether clients need a token. Does not change.
  bool needs_token() const { return needs_token_; }

  // Puts other tokens in force. REQUIRES: it was made with tokens.
  void replace(AccessList tokens) CAIRN_EXCLUDES(mutex_);

  // Whether exactly this token, with its scopes and categories, is in force.
  bool is_in_force(const Token& token) const CAIRN_EXCLUDES(mutex_);

  // The token that the request carries, nullptr where none is needed, or why the request is refused. `route`
  // may be nullptr: a client without a token gets 401 for unknown paths too, and learns nothing about which
  // exist.
  Answered<std::shared_ptr<const Token>> admit(const RequestHead& head, const Route* route) const
      CAIRN_EXCLUDES(mutex_);

 private:
  std::shared_ptr<const AccessList> tokens() const CAIRN_EXCLUDES(mutex_);

  const bool needs_token_;
  mutable Mutex mutex_;
  std::shared_ptr<const AccessList> tokens_ CAIRN_GUARDED_BY(mutex_);  // nullptr = none are needed
};

}  // namespace cairn::api
