#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "api/http/gate.h"
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
  unsigned threads = 0;                 // 0 = as many as the machine has cores, at least 2
  std::optional<AccessList> tokens;     // without them only this machine may reach the address
  std::shared_ptr<TlsContext> tls;      // without it everything is sent as plain text
  RequestObserver* observer = nullptr;  // outlives the server
};

// Listens, and has requests answered by a router, on threads of its own. A connection costs memory but no
// thread, also while it waits for its answer.
class HttpServer {
 public:
  // Begins to listen and to serve. Fails with kFailedPrecondition when the address is in use or can be
  // reached from other machines, with kIo when the operating system refuses otherwise.
  static Result<std::unique_ptr<HttpServer>> start(ServerOptions options, Router router);

  // Stops at once. REQUIRES: nobody holds a Responder any more that could still be called.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Where it listens, with the real port.
  const ListenAddress& address() const;

  // Takes no more connections, lets requests that are under way finish for at most `grace`, then ends the
  // threads. What is left is closed with the server. Responders may still be called; nothing comes of it.
  void stop(std::chrono::milliseconds grace);

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn::api
