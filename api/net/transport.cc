#include "api/net/transport.h"

#include <openssl/err.h>
#include <openssl/sslerr.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api/net/tls_native.h"

namespace cairn::api {

namespace asio = boost::asio;
using asio::ip::tcp;

struct Transport::Tls {
  asio::ssl::stream<tcp::socket&> stream;
  Tls(tcp::socket& socket, asio::ssl::context& context) : stream(socket, context) {}
};

Transport::Transport(tcp::socket socket, TlsContext* tls) : socket_(std::move(socket)) {
  boost::system::error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
  if (tls != nullptr) tls_ = std::make_unique<Tls>(socket_, tls->native().context);
}

Transport::~Transport() = default;

std::string Transport::peer() const {
  boost::system::error_code error;
  const auto endpoint = socket_.remote_endpoint(error);
  return error ? "a client that has disconnected" : endpoint.address().to_string();
}

asio::awaitable<void> Transport::handshake(boost::system::error_code& error) {
  if (!tls_) co_return;
  co_await tls_->stream.async_handshake(asio::ssl::stream_base::server,
                                        asio::redirect_error(asio::use_awaitable, error));
}

bool Transport::is_plain_http(const boost::system::error_code& error) {
  return error.category() == asio::error::get_ssl_category() &&
         ERR_GET_REASON(static_cast<unsigned long>(error.value())) == SSL_R_HTTP_REQUEST;
}

void Transport::answer_plainly(std::string_view text) {
  boost::system::error_code ignored;  // The send buffer of a new socket has room for an answer.
  socket_.write_some(asio::buffer(text), ignored);
  shutdown_send();
}

asio::awaitable<std::size_t> Transport::read_some(asio::mutable_buffer to, boost::system::error_code& error) {
  if (tls_) return tls_->stream.async_read_some(to, asio::redirect_error(asio::use_awaitable, error));
  return socket_.async_read_some(to, asio::redirect_error(asio::use_awaitable, error));
}

asio::awaitable<std::size_t> Transport::write_some(asio::const_buffer from,
                                                   boost::system::error_code& error) {
  if (tls_) return tls_->stream.async_write_some(from, asio::redirect_error(asio::use_awaitable, error));
  return socket_.async_write_some(from, asio::redirect_error(asio::use_awaitable, error));
}

std::size_t Transport::write_now(asio::const_buffer from) {
  if (tls_) return 0;
  boost::system::error_code error;  // Ignored: the next write_some() reports it.
  return socket_.write_some(asio::buffer(from), error);
}

void Transport::limit_send_buffer(int bytes) {
  boost::system::error_code ignored;
  socket_.set_option(tcp::socket::send_buffer_size(bytes), ignored);
}

void Transport::watch_for_close(std::function<void()> closed) {
  socket_.async_wait(tcp::socket::wait_read,
                     [this, closed = std::move(closed)](boost::system::error_code error) {
                       if (error) return;
                       boost::system::error_code ignored;
                       // Readable without data means end of file. A pipelined request stays in the socket.
                       if (socket_.available(ignored) == 0) closed();
                     });
}

void Transport::cancel() {
  boost::system::error_code ignored;
  socket_.cancel(ignored);
}

void Transport::shutdown_send() {
  boost::system::error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
}

void Transport::close() {
  boost::system::error_code ignored;
  socket_.close(ignored);
}

}  // namespace cairn::api
