#include "api/net/http_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/http/server_log.h"
#include "api/net/blocked_streams.h"
#include "api/net/client_log.h"
#include "api/net/client_turns.h"
#include "api/net/connection.h"
#include "api/net/connection_slots.h"
#include "api/net/memory_budget.h"
#include "eventstore/base/background_thread.h"
#include "eventstore/base/mutex.h"
#include "eventstore/base/thread_priority.h"

namespace cairn::api {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

// How long the listener waits after accept() has failed, as it does when the process has no more file
// descriptors.
constexpr std::chrono::milliseconds kAcceptPause{50};

Error cannot_listen(const ListenAddress& address, const boost::system::error_code& error) {
  const bool in_use = error == asio::error::address_in_use;
  if (in_use) {
    return make_error(
        Errc::kFailedPrecondition,
        fmt::format(
            "cannot listen on {}: another program uses port {}; stop it, or give another port with --listen",
            address.to_string(), address.port));
  }
  const bool is_foreign = error == boost::system::errc::address_not_available;
  const bool is_privileged = error == asio::error::access_denied;
  return make_error(
      Errc::kIo,
      fmt::format("cannot listen on {}: {}", address.to_string(),
                  is_foreign      ? "this machine does not have that address"
                  : is_privileged ? "this user may not use ports below 1024; give another port with --listen"
                                  : error.message()));
}

struct NullObserver final : RequestObserver {
  void answered(const Route*, int, std::chrono::nanoseconds) override {}
};

// One thread and the event loop of the connections it serves. A connection stays on its thread: connections
// of different threads share no lock, and an event wakes the thread that will handle it.
struct IoThread {
  // What waits in `turns` holds sockets, which must be destroyed before their io; what waits in `io` holds places
  // in `turns`.
  ~IoThread() { turns.close(); }

  ClientTurns turns{io};
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(io);
  std::thread thread;
};

std::size_t thread_count(unsigned threads) {
  return threads == 0 ? std::max(2u, std::thread::hardware_concurrency()) : threads;
}

ConnectionSlots::Limits slot_limits(const ServerLimits& limits, bool needs_token) {
  ConnectionSlots::Limits slots{limits.connections_max, limits.unadmitted_connections_max, std::nullopt};
  if (needs_token) slots.unadmitted_per_address = limits.unadmitted_per_address_max;
  return slots;
}

// The client's address; of an IPv6 address the /64, which is what one client has at least. Empty when the
// client has disconnected already.
std::string network_of(const tcp::socket& socket) {
  boost::system::error_code error;
  const auto endpoint = socket.remote_endpoint(error);
  if (error) return {};
  const auto address = endpoint.address();
  if (!address.is_v6() || address.to_v6().is_v4_mapped()) return address.to_string();
  return asio::ip::network_v6(address.to_v6(), 64).canonical().to_string();
}

std::string describe(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "unknown exception";
  }
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(ServerOptions options, Router router)
      : options_(std::move(options)),
        router_(std::move(router)),
        admission_(std::move(options_.tokens), options_.tickets),
        origins_(std::move(options_.cors_origins), options_.tls != nullptr),
        has_tls_(options_.tls != nullptr),
        bodies_(options_.limits.bodies_bytes_max),
        answers_(options_.limits.answers_bytes_max),
        waiting_answers_(options_.limits.waiting_answers_bytes_max),
        workers_({.name = "cairn-work",
                  .threads = std::min<std::size_t>(thread_count(options_.threads), 10),
                  .queue_max = options_.limits.connections_max}),
        trial_workers_({.name = "cairn-try", .threads = 1, .queue_max = options_.limits.connections_max}),
        services_{router_,          admission_,
                  origins_,         options_.limits,
                  bodies_,          answers_,
                  waiting_answers_, make_room_,
                  workers_,         trial_workers_,
                  stopping_work_,   options_.observer != nullptr ? *options_.observer : null_observer_,
                  client_log_,      options_.on_access},
        tls_(std::move(options_.tls)),
        slots_(slot_limits(options_.limits, admission_.needs_token())),
        io_threads_(thread_count(options_.threads)),
        acceptor_(accepting_.io),
        accept_pause_(acceptor_.get_executor()) {}

  ~Impl() {
    stop(std::chrono::milliseconds(0));
    // A socket must be destroyed before its io_context.
    std::unordered_map<ConnectionSlots::Id, std::shared_ptr<Connection>> left;
    const MutexLock lock(mutex_);
    left.swap(connections_);
  }

  Status listen() {
    const tcp::endpoint endpoint(asio::ip::make_address(options_.address.host), options_.address.port);
    boost::system::error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
    if (error) return cannot_listen(options_.address, error);
    options_.address.port = acceptor_.local_endpoint().port();
    return {};
  }

  void serve() {
    asio::co_spawn(acceptor_.get_executor(), accept(), [](const std::exception_ptr& exception) {
      if (exception) {
        server_log(LogEvent(LogLevel::kError, "accept-ended",
                            "No more connections are accepted: " + describe(exception))
                       .with("error", describe(exception)));
      }
    });
    accepting_.thread = std::thread([this] {
      name_this_thread("cairn-accept");
      accepting_.io.run();
    });
    for (std::size_t i = 0; i < io_threads_.size(); ++i) {
      io_threads_[i].thread = std::thread([&io = io_threads_[i].io, i] {
        name_this_thread(fmt::format("cairn-http-{}", i % 10'000).c_str());
        set_thread_slice(kShortSlice);
        io.run();
      });
    }
  }

  const ListenAddress& address() const { return options_.address; }

  void stop(std::chrono::milliseconds grace) {
    asio::post(acceptor_.get_executor(), [this] {
      boost::system::error_code ignored;
      acceptor_.close(ignored);
      accept_pause_.cancel(ignored);
    });
    {
      MutexLock lock(mutex_);
      stopping_ = true;
      for (const auto& [id, connection] : connections_) connection->finish();
      all_closed_.wait_for(lock, grace, [this]() CAIRN_REQUIRES(mutex_) { return connections_.empty(); });
    }
    stopping_work_.store(true, std::memory_order_relaxed);
    trial_workers_.stop();
    workers_.stop();  // before the event loops, whose coroutines hold what the workers use
    for (IoThread& each : io_threads_) each.io.stop();
    accepting_.io.stop();
    if (accepting_.thread.joinable()) accepting_.thread.join();
    for (IoThread& each : io_threads_) {
      if (each.thread.joinable()) each.thread.join();
    }
    boost::system::error_code ignored;
    acceptor_.close(ignored);  // The threads may have ended before they ran the handler above.
  }

  void reload(std::optional<AccessList> tokens, std::shared_ptr<TlsContext> tls) {
    if (tokens) admission_.replace(*std::move(tokens));
    const MutexLock lock(mutex_);
    CAIRN_ASSERT((tls != nullptr) == has_tls_);
    tls_ = std::move(tls);
    for (const auto& [id, connection] : connections_) connection->recheck_token();
  }

 private:
  asio::awaitable<void> accept() {
    while (acceptor_.is_open()) {
      boost::system::error_code error;
      IoThread& thread = io_threads_[next_thread_++ % io_threads_.size()];
      tcp::socket socket =
          co_await acceptor_.async_accept(thread.io, asio::redirect_error(asio::use_awaitable, error));
      if (!acceptor_.is_open()) break;
      if (error) {
        server_log(LogEvent(LogLevel::kWarning, "accept-failed",
                            "A connection could not be accepted: " + error.message())
                       .with("error", error.message()));
        accept_pause_.expires_after(kAcceptPause);
        co_await accept_pause_.async_wait(asio::redirect_error(asio::use_awaitable, error));
        continue;
      }
      open_connection(std::move(socket), thread.turns);
    }
  }

  void open_connection(tcp::socket socket, ClientTurns& turns) {
    const auto executor = socket.get_executor();
    const std::string address = network_of(socket);
    std::shared_ptr<Connection> connection;
    ConnectionSlots::Id id = 0;
    {
      const MutexLock lock(mutex_);
      if (stopping_) return;
      id = ++last_id_;
      auto taken = slots_.add(id, address);
      if (!taken.yes && (close_longest_blocked() || close_one_over_share())) taken = slots_.add(id, address);
      if (taken.instead_of) connections_.at(*taken.instead_of)->give_way();
      if (taken.yes) {
        connection = std::make_shared<Connection>(std::move(socket), tls_, services_, turns, 2 * id,
                                                  [this, id](ClientId client) {
                                                    const MutexLock inner(mutex_);
                                                    slots_.admit(id, client);
                                                  });
        connections_.emplace(id, connection);
      }
    }
    if (!connection) {
      // With TLS nothing can be said before the handshake, which costs too much for a client that is refused.
      if (!has_tls_) reject(std::move(socket));
      return;
    }
    asio::co_spawn(executor, Connection::run(connection), [this, id](const std::exception_ptr& exception) {
      if (exception) {
        server_log(
            LogEvent(LogLevel::kError, "connection-failed", "A connection failed: " + describe(exception))
                .with("error", describe(exception)));
      }
      const MutexLock lock(mutex_);
      slots_.remove(id);
      connections_.erase(id);
      if (connections_.empty()) all_closed_.notify_all();
    });
  }

  // Those that may be closed, longest blocked first.
  std::vector<BlockedStream> blocked_streams() CAIRN_REQUIRES(mutex_) {
    std::vector<BlockedStream> streams;
    for (const auto& [id, connection] : connections_) {
      if (auto blocked = connection->blocked_stream()) {
        blocked->connection = id;
        streams.push_back(*blocked);
      }
    }
    return closable(std::move(streams), std::chrono::steady_clock::now(), options_.limits.blocked_send_min);
  }

  // See MakeRoom.
  std::optional<std::size_t> make_room(std::size_t bytes, ClientId client,
                                       const std::function<void()>& closed) CAIRN_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    const auto streams = streams_to_close(blocked_streams(), answers_.use(), bytes, client);
    if (!streams) return std::nullopt;
    for (const BlockedStream& each : *streams) {
      connections_.at(each.connection)->close_if_blocked(each.since, closed);
    }
    return streams->size();
  }

  // Gives the place of a stream whose client does not read to a new connection. False when there is none.
  bool close_longest_blocked() CAIRN_REQUIRES(mutex_) {
    for (const BlockedStream& each : blocked_streams()) {
      // One that is being closed for another connection has no place any more.
      if (!slots_.remove(each.connection)) continue;
      connections_.at(each.connection)->close_if_blocked(each.since, [] {});
      return true;
    }
    return false;
  }

  // Gives the place of a client's connection to a new one when the client has more than its share of all: its token
  // may be used by a program that opens connections without end. False when there is none.
  bool close_one_over_share() CAIRN_REQUIRES(mutex_) {
    const auto id = slots_.over_share();
    if (!id || !slots_.remove(*id)) return false;
    connections_.at(*id)->close();
    return true;
  }

  // Does not block: the send buffer of a new socket has room for the answer.
  static void reject(tcp::socket socket) {
    boost::system::error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(render_refusal(overloaded("Too many connections."))), ignored);
    socket.shutdown(tcp::socket::shutdown_both, ignored);
  }

  ServerOptions options_;
  const Router router_;
  Admission admission_;
  const BrowserOrigins origins_;
  const bool has_tls_;
  MemoryBudget bodies_;
  MemoryBudget answers_;
  MemoryBudget waiting_answers_;
  const MakeRoom make_room_ = [this](std::size_t bytes, ClientId client,
                                     const std::function<void()>& closed) {
    return make_room(bytes, client, closed);
  };
  std::atomic<bool> stopping_work_{false};
  WorkerPool workers_;        // a connection has at most one piece of work there, so its queue is never full
  WorkerPool trial_workers_;  // likewise; see RunsOn::kTrialWorker
  NullObserver null_observer_;
  ClientLog client_log_;
  const ConnectionServices services_;

  Mutex mutex_;
  CondVar all_closed_;
  bool stopping_ CAIRN_GUARDED_BY(mutex_) = false;
  std::shared_ptr<TlsContext> tls_ CAIRN_GUARDED_BY(mutex_);
  ConnectionSlots slots_ CAIRN_GUARDED_BY(mutex_);
  ConnectionSlots::Id last_id_ CAIRN_GUARDED_BY(mutex_) = 0;
  std::unordered_map<ConnectionSlots::Id, std::shared_ptr<Connection>> connections_ CAIRN_GUARDED_BY(mutex_);

  // After everything that handlers use: destroying an io_context destroys the handlers that never ran, and
  // what they hold.
  std::deque<IoThread> io_threads_;
  IoThread accepting_;  // a thread of its own: no connection, however busy, keeps others out
  std::size_t next_thread_ = 0;
  tcp::acceptor acceptor_;
  asio::steady_timer accept_pause_;
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::start(ServerOptions options, Router router) {
  if (!options.tokens) CAIRN_CHECK(check_loopback(options.address));
  auto impl = std::make_unique<Impl>(std::move(options), std::move(router));
  CAIRN_CHECK(impl->listen());
  impl->serve();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

const ListenAddress& HttpServer::address() const { return impl_->address(); }

void HttpServer::stop(std::chrono::milliseconds grace) { impl_->stop(grace); }

void HttpServer::reload(std::optional<AccessList> tokens, std::shared_ptr<TlsContext> tls) {
  impl_->reload(std::move(tokens), std::move(tls));
}

}  // namespace cairn::api
