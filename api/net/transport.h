#pragma once

#include <utility>  // First: awaitable.hpp of Boost 1.74 needs it and does not say so.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "api/net/tls.h"

namespace cairn::api {

// A client's socket, with TLS on it or without. Belongs to the socket's executor.
//
// Its coroutines put what went wrong into `error`, which must live until they are done.
class Transport {
 public:
  // `tls` may be nullptr and otherwise outlives the transport.
  Transport(boost::asio::ip::tcp::socket socket, TlsContext* tls);
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  boost::asio::any_io_executor executor() { return socket_.get_executor(); }
  bool is_tls() const { return tls_ != nullptr; }

  // The client's address, for the log.
  std::string peer() const;

  // What comes before the first byte; nothing to do without TLS.
  boost::asio::awaitable<void> handshake(boost::system::error_code& error);

  boost::asio::awaitable<std::size_t> read_some(boost::asio::mutable_buffer to,
                                                boost::system::error_code& error);
  boost::asio::awaitable<std::size_t> write_some(boost::asio::const_buffer from,
                                                 boost::system::error_code& error);

  // Writes what the socket takes at once, perhaps nothing: most answers fit, and need not wait their turn.
  std::size_t write_now(boost::asio::const_buffer from);

  // What the system may hold of our bytes until the client takes them; by itself it lets that grow to
  // megabytes.
  void limit_send_buffer(int bytes);

  // Calls `closed` when the client leaves while nothing is read from it; cancel() ends the watch.
  void watch_for_close(std::function<void()> closed);

  // Ends what is under way with an error.
  void cancel();
  // Tells the client that no more will come.
  void shutdown_send();
  void close();

 private:
  struct Tls;
  boost::asio::ip::tcp::socket socket_;
  std::unique_ptr<Tls> tls_;
};

}  // namespace cairn::api
