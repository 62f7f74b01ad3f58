#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "api/http/problem.h"
#include "eventstore/base/log_throttle.h"
#include "eventstore/base/mutex.h"

namespace cairn::api {

// The lines that clients can cause: each is logged at once, and then at most once a minute for an address and
// status, so that clients cannot fill the log. Thread-safe.
class ClientLog {
 public:
  // A request without a valid token, or with one that lacks a scope. The credentials are not logged: they may
  // be a valid token with a typing error.
  void refused(std::string_view method, std::string_view path, const std::string& remote,
               const Problem& problem) CAIRN_EXCLUDES(mutex_);

  // A stream whose client did not read gave way to another client.
  void stream_closed(const std::string& remote, std::chrono::milliseconds blocked) CAIRN_EXCLUDES(mutex_);

 private:
  // Beyond so many addresses a minute the others share one line.
  static constexpr std::size_t kAddressesMax = 64;

  Mutex mutex_;
  KeyedLogThrottle refusals_ CAIRN_GUARDED_BY(mutex_){kAddressesMax};
  KeyedLogThrottle streams_ CAIRN_GUARDED_BY(mutex_){kAddressesMax};
};

}  // namespace cairn::api
