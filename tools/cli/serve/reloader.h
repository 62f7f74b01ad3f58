#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/access/access_list.h"
#include "api/net/http_server.h"
#include "api/net/tls.h"
#include "api/serving/route_context.h"
#include "eventstore/base/mutex.h"
#include "eventstore/base/result.h"
#include "tools/cli/serve/server_logs.h"

namespace cairn::cli {

// The files that say who may use a server. Empty: none.
struct AccessFiles {
  std::string tokens;
  std::string tls_certificate;
  std::string tls_key;
};

// What the files say.
struct Access {
  std::optional<api::AccessList> tokens;
  std::shared_ptr<api::TlsContext> tls;
};

// Fails with the first file that cannot be read or is not valid. Logs what was read.
Result<Access> read_access(const AccessFiles& files, const LogSink& log);

// Reads the files of a running server again. Thread-safe.
class Reloader {
 public:
  // REQUIRES: `log` outlives it.
  Reloader(AccessFiles files, ServerLog& log) : files_(std::move(files)), log_(log) {}

  // REQUIRES: `server` lives until the last call of reload(), and was started with these files.
  void attach(api::HttpServer& server) CAIRN_EXCLUDES(mutex_);

  // Puts the tokens and the certificate in force. When a file fails, nothing changes. Logs the outcome, and
  // what asked for it. REQUIRES: attach() was called.
  Result<api::Reloaded> reload(std::string_view cause) CAIRN_EXCLUDES(mutex_);

 private:
  Result<Access> read_again() const;

  const AccessFiles files_;
  ServerLog& log_;
  Mutex mutex_;  // held during a reload: the last one to begin is the last one to take effect
  api::HttpServer* server_ CAIRN_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace cairn::cli
