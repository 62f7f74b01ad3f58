#pragma once

#include <memory>
#include <optional>

#include "api/access/access_list.h"
#include "api/access/tickets.h"
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
  //
  // With `tickets` it also admits requests for server-sent events that show one of them. The tickets outlive this
  // object, and what admit() returns.
  explicit Admission(std::optional<AccessList> tokens, Tickets* tickets = nullptr);

  // Whether clients need a token. Does not change.
  bool needs_token() const { return needs_token_; }

  // Puts other tokens in force. REQUIRES: it was made with tokens.
  void replace(AccessList tokens) CAIRN_EXCLUDES(mutex_);

  // Whether exactly this token, with its scopes and categories, is in force.
  bool is_in_force(const Token& token) const CAIRN_EXCLUDES(mutex_);

  // How a request is admitted.
  struct Admitted {
    std::shared_ptr<const Token> token;       // that the request carries; nullptr where none is needed
    std::shared_ptr<const void> ticket = {};  // the use of its ticket: kept until the answer is sent
  };

  // Admits the request, or says why it is refused. `route` may be nullptr: a client without a token gets 401 for
  // unknown paths too, and learns nothing about which exist.
  Answered<Admitted> admit(const RequestHead& head, const Route* route) const CAIRN_EXCLUDES(mutex_);

 private:
  std::optional<Answered<Admitted>> admit_by_ticket(const RequestHead& head, const AccessList* list) const;
  std::shared_ptr<const AccessList> tokens() const CAIRN_EXCLUDES(mutex_);

  const bool needs_token_;
  Tickets* const tickets_;  // nullptr = no request is admitted by a ticket
  mutable Mutex mutex_;
  std::shared_ptr<const AccessList> tokens_ CAIRN_GUARDED_BY(mutex_);  // nullptr = none are needed
};

}  // namespace cairn::api
