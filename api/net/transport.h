#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "api/net/tls.h"

namespace cairn::api {

// A client's socket, with or without TLS. Not thread-safe: belongs to the socket's executor.
//
// The coroutines put a failure into `error`, which must outlive them.
class Transport {
 public:
  // `tls` is nullptr for plain HTTP; else it outlives the transport.
  Transport(boost::asio::ip::tcp::socket socket, TlsContext* tls);
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  boost::asio::any_io_executor executor() { return socket_.get_executor(); }
  bool is_tls() const { return tls_ != nullptr; }

  // The client's address, for the log.
  std::string peer() const;

  // The TLS handshake; returns at once without TLS.
  boost::asio::awaitable<void> handshake(boost::system::error_code& error);

  // Whether a handshake failed because the client sent an HTTP request instead.
  static bool is_plain_http(const boost::system::error_code& error);

  // Writes to such a client, without TLS and without waiting.
  void answer_plainly(std::string_view text);

  boost::asio::awaitable<std::size_t> read_some(boost::asio::mutable_buffer to,
                                                boost::system::error_code& error);
  boost::asio::awaitable<std::size_t> write_some(boost::asio::const_buffer from,
                                                 boost::system::error_code& error);

  // Writes without waiting as much as the send buffer takes, possibly nothing. Most answers fit, which saves
  // a pass through the event loop.
  std::size_t write_now(boost::asio::const_buffer from);

  // Bounds the send buffer of the socket, which the kernel otherwise lets grow to megabytes.
  void limit_send_buffer(int bytes);

  // Calls `closed` when the client disconnects while nothing is read from the socket; cancel() ends the
  // watch.
  void watch_for_close(std::function<void()> closed);

  // Makes pending operations fail.
  void cancel();
  // Sends FIN: the client sees the end of the answer.
  void shutdown_send();
  void close();

 private:
  struct Tls;
  boost::asio::ip::tcp::socket socket_;
  std::unique_ptr<Tls> tls_;
};

}  // namespace cairn::api
