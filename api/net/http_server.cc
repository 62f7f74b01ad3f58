#include "api/net/http_server.h"

#include <spdlog/spdlog.h>

#include <utility>  // First: awaitable.hpp of Boost 1.74 needs it and does not say so.

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <unordered_set>

#include "api/net/connection.h"
#include "api/net/memory_budget.h"

namespace cairn::api {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

// How long the listener waits when the operating system has no more file descriptors to give.
constexpr std::chrono::milliseconds kAcceptPause{50};

Error cannot_listen(const ListenAddress& address, const boost::system::error_code& error) {
  const bool in_use = error == asio::error::address_in_use;
  if (in_use) {
    return make_error(Errc::kFailedPrecondition,
                      "cannot listen on " + address.to_string() + ": another program has port " +
                          std::to_string(address.port) + "; stop it, or give another port with --listen");
  }
  const bool is_foreign = error == boost::system::errc::address_not_available;
  const bool is_privileged = error == asio::error::access_denied;
  return make_error(
      Errc::kIo, "cannot listen on " + address.to_string() + ": " +
                     (is_foreign      ? "this machine does not have that address"
                      : is_privileged ? "ports below 1024 are not for this user; give another with --listen"
                                      : error.message()));
}

// Watches when nobody else does.
struct Nobody final : RequestObserver {
  void answered(const Route*, int, std::chrono::nanoseconds) override {}
};

// One thread and the connections it serves. Threads that share nothing need no locks between them, and what
// wakes a connection wakes the one thread that will serve it.
struct Lane {
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(io);
  std::thread thread;
};

std::size_t lane_count(unsigned threads) {
  return threads == 0 ? std::max(2u, std::thread::hardware_concurrency()) : threads;
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
        gate_(options_.tokens ? Gate(*std::move(options_.tokens)) : Gate()),
        bodies_(options_.limits.bodies_bytes_max),
        answers_(options_.limits.answers_bytes_max),
        services_{router_,  gate_,    options_.limits,
                  bodies_,  answers_, options_.observer != nullptr ? *options_.observer : nobody_,
                  refusals_},
        lanes_(lane_count(options_.threads)),
        acceptor_(lanes_.front().io),
        accept_pause_(acceptor_.get_executor()) {}

  ~Impl() {
    stop(std::chrono::milliseconds(0));
    connections_.clear();  // Sockets must be gone before the io_context.
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
      if (exception) spdlog::critical("No more connections are accepted: {}", describe(exception));
    });
    for (Lane& lane : lanes_) lane.thread = std::thread([&lane] { lane.io.run(); });
  }

  const ListenAddress& address() const { return options_.address; }

  void stop(std::chrono::milliseconds grace) {
    asio::post(acceptor_.get_executor(), [this] {
      boost::system::error_code ignored;
      acceptor_.close(ignored);
      accept_pause_.cancel(ignored);
    });
    {
      std::unique_lock lock(mutex_);
      stopping_ = true;
      for (const auto& connection : connections_) connection->finish();
      all_closed_.wait_for(lock, grace, [this] { return connections_.empty(); });
    }
    for (Lane& lane : lanes_) lane.io.stop();
    for (Lane& lane : lanes_) {
      if (lane.thread.joinable()) lane.thread.join();
    }
    boost::system::error_code ignored;
    acceptor_.close(ignored);  // Perhaps nobody came to it before the threads ended.
  }

 private:
  asio::awaitable<void> accept() {
    while (acceptor_.is_open()) {
      boost::system::error_code error;
      asio::io_context& io = lanes_[next_lane_++ % lanes_.size()].io;
      tcp::socket socket =
          co_await acceptor_.async_accept(io, asio::redirect_error(asio::use_awaitable, error));
      if (!acceptor_.is_open()) break;
      if (error) {
        spdlog::warn("A connection could not be accepted: {}", error.message());
        accept_pause_.expires_after(kAcceptPause);
        co_await accept_pause_.async_wait(asio::redirect_error(asio::use_awaitable, error));
        continue;
      }
      take(std::move(socket));
    }
  }

  void take(tcp::socket socket) {
    const auto executor = socket.get_executor();
    std::shared_ptr<Connection> connection;
    {
      std::lock_guard lock(mutex_);
      if (stopping_) return;
      if (connections_.size() < options_.limits.connections_max) {
        connection = std::make_shared<Connection>(std::move(socket), options_.tls.get(), services_);
        connections_.insert(connection);
      }
    }
    if (!connection) {
      // With TLS there is nothing to say before the handshake, and that is work for somebody let in.
      if (!options_.tls) turn_away(std::move(socket));
      return;
    }
    asio::co_spawn(executor, Connection::run(connection),
                   [this, connection](const std::exception_ptr& exception) {
                     if (exception) spdlog::error("A connection failed: {}", describe(exception));
                     std::lock_guard lock(mutex_);
                     connections_.erase(connection);
                     if (connections_.empty()) all_closed_.notify_all();
                   });
  }

  // Without waiting: a new socket has room for this much.
  static void turn_away(tcp::socket socket) {
    boost::system::error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(render_refusal(overloaded("Too many connections."))), ignored);
    socket.shutdown(tcp::socket::shutdown_both, ignored);
  }

  ServerOptions options_;
  const Router router_;
  const Gate gate_;
  MemoryBudget bodies_;
  MemoryBudget answers_;
  Nobody nobody_;
  LogThrottle refusals_;
  const ConnectionServices services_;

  std::mutex mutex_;
  std::condition_variable all_closed_;
  bool stopping_ = false;
  std::unordered_set<std::shared_ptr<Connection>> connections_;

  // After everything that handlers use: destroying it destroys handlers that never ran, and what they hold.
  std::deque<Lane> lanes_;
  std::size_t next_lane_ = 0;
  tcp::acceptor acceptor_;
  asio::steady_timer accept_pause_;
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::start(ServerOptions options, Router router) {
  if (!options.tokens) CAIRN_CHECK(check_reachable_only_from_here(options.address));
  auto impl = std::make_unique<Impl>(std::move(options), std::move(router));
  CAIRN_CHECK(impl->listen());
  impl->serve();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

const ListenAddress& HttpServer::address() const { return impl_->address(); }

void HttpServer::stop(std::chrono::milliseconds grace) { impl_->stop(grace); }

}  // namespace cairn::api
