#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/http/access_record.h"
#include "api/http/admission.h"
#include "api/http/request_observer.h"
#include "api/http/router.h"
#include "api/http/server_limits.h"
#include "api/net/listen_address.h"
#include "api/net/tls.h"
#include "eventstore/base/result.h"

namespace cairn::api {

struct ServerOptions {
  ListenAddress address;
  ServerLimits limits;
  unsigned threads = 0;                   // 0 = one for each core, at least 2
  std::optional<AccessList> tokens;       // without tokens, `address` must be a loopback address
  std::shared_ptr<TlsContext> tls;        // without it, plain HTTP
  std::vector<std::string> cors_origins;  // of other sites whose pages may use the server; see parse_origin()
  Tickets* tickets = nullptr;             // that admit requests for server-sent events; outlive the server
  RequestObserver* observer = nullptr;    // outlives the server
  OnAccess on_access;                     // empty: no access log
};

// An HTTP/1.1 server: accepts connections and calls the routes of a router, on threads of its own. A
// connection costs memory but no thread, even while it waits for its answer. start(), stop() and the
// destructor belong to one thread.
class HttpServer {
 public:
  // Listens and starts the threads. Fails with kFailedPrecondition when the address is in use, or when there
  // are no tokens and other machines can reach it; with kIo when the operating system refuses for another
  // reason.
  static Result<std::unique_ptr<HttpServer>> start(ServerOptions options, Router router);

  // Stops without grace. REQUIRES: no Responder of this server is called from here on.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // The address with the actual port, also if it was given as 0.
  const ListenAddress& address() const;

  // Graceful shutdown: accepts no more connections, waits at most `grace` for the requests in progress, and
  // ends the threads. Connections that are left are closed by the destructor. Responders may still be called,
  // without effect.
  void stop(std::chrono::milliseconds grace);

  // Puts other tokens and another certificate in force, for the requests and connections from here on.
  // Streams (followers, long answers) of tokens that are gone, or have other scopes or categories, are broken
  // off; other requests in progress are answered. Thread-safe.
  // REQUIRES: each of the two is given if and only if the server was started with it.
  void reload(std::optional<AccessList> tokens, std::shared_ptr<TlsContext> tls);

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn::api
