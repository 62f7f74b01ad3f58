#include "api/connection.h"

#include <algorithm>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <optional>
#include <utility>
#include <variant>

namespace cairn::api {

namespace asio = boost::asio;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr std::size_t kNoHead = 0;

Problem head_too_large(std::size_t limit) {
  std::string detail = "Request line and headers are larger than " + std::to_string(limit) + " bytes.";
  return Problem(431, "head-too-large", "The request head is too large", std::move(detail))
      .with("limit", limit);
}

Problem too_slow(std::chrono::milliseconds limit) {
  return {408, "request-timeout", "The request took too long",
          "The request did not arrive within " + std::to_string(limit.count()) + " ms."};
}

// Suspends the coroutine until there is an answer, which may come from any thread. Not a coroutine itself:
// GCC 12 destroys a lambda twice that is made in a co_await expression.
asio::awaitable<void> wait_for(const std::shared_ptr<PendingAnswer>& pending,
                               const asio::any_io_executor& executor) {
  return asio::async_initiate<const asio::use_awaitable_t<>, void()>(
      [executor, pending](auto handler) {
        // Shared, because std::function wants to copy and the handler can only be moved.
        auto resume = std::make_shared<decltype(handler)>(std::move(handler));
        pending->when_ready([executor, resume] { asio::post(executor, [resume] { (*resume)(); }); });
      },
      asio::use_awaitable);
}

}  // namespace

Connection::Connection(tcp::socket socket, const Router& router, const ServerLimits& limits,
                       MemoryBudget& bodies)
    : socket_(std::move(socket)),
      deadline_(socket_.get_executor()),
      router_(router),
      limits_(limits),
      body_share_(bodies) {
  boost::system::error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
}

asio::awaitable<void> Connection::run(std::shared_ptr<Connection> self) {
  while (co_await self->serve_one()) {
  }
  boost::system::error_code ignored;
  self->socket_.close(ignored);
  self->deadline_.cancel(ignored);
}

void Connection::finish() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    self->finishing_ = true;
    boost::system::error_code ignored;
    if (self->idle_) self->socket_.cancel(ignored);
  });
}

// Returns whether another request may follow.
asio::awaitable<bool> Connection::serve_one() {
  const std::size_t head_bytes = co_await receive_head();
  if (head_bytes == kNoHead) co_return false;
  head_text_.assign(input_, 0, head_bytes);
  input_.erase(0, head_bytes);

  auto parsed = parse_request_head(head_text_, limits_);
  if (auto* problem = std::get_if<Problem>(&parsed)) {
    co_await refuse(*problem);
    co_return false;
  }
  const RequestHead head = std::get<RequestHead>(std::move(parsed));
  if (!co_await receive_body(head)) co_return false;

  const KeepAlive keep_alive = head.keep_alive && !finishing_ ? KeepAlive::kYes : KeepAlive::kNo;
  co_await answer(head, keep_alive);
  input_.erase(0, head.content_length);
  if (input_.capacity() > chunk_.size() && input_.empty()) input_.shrink_to_fit();
  body_share_.release();
  if (!co_await send()) co_return false;
  co_return keep_alive == KeepAlive::kYes;
}

// Receives until input_ begins with a whole head and returns its size, or kNoHead when the connection is
// over.
asio::awaitable<std::size_t> Connection::receive_head() {
  bool begun = false;
  std::size_t searched = 0;
  set_deadline(Clock::now() + limits_.idle_time_max);
  while (true) {
    // Some clients send an empty line after a body.
    if (searched == 0 && input_.starts_with("\r\n")) input_.erase(0, 2);
    const std::size_t found = input_.find(kHeadEnd, searched);
    const std::size_t head_bytes = found == std::string::npos ? input_.size() : found + kHeadEnd.size();
    if (head_bytes > limits_.head_bytes_max) {
      const Problem problem = head_too_large(limits_.head_bytes_max);
      co_await refuse(problem);
      co_return kNoHead;
    }
    if (!begun && !input_.empty()) {
      begun = true;
      request_began_ = Clock::now();
      // Most requests come in one piece and need no deadline of their own.
      if (found == std::string::npos) set_deadline(request_began_ + limits_.head_time_max);
    }
    if (found != std::string::npos) co_return head_bytes;
    searched = input_.size() - std::min(input_.size(), kHeadEnd.size() - 1);

    idle_ = !begun;
    if (idle_ && finishing_) co_return kNoHead;
    const Received received = co_await receive();
    idle_ = false;
    if (received == Received::kTooLate && begun) {
      const Problem problem = too_slow(limits_.head_time_max);
      co_await refuse(problem);
    }
    if (received != Received::kYes) co_return kNoHead;
  }
}

// Receives until input_ begins with the whole body. False when the connection is over.
asio::awaitable<bool> Connection::receive_body(const RequestHead& head) {
  if (head.content_length > limits_.body_bytes_max) {
    const Problem problem = too_large("The body", limits_.body_bytes_max);
    co_await refuse(problem);
    co_return false;
  }
  if (input_.size() < head.content_length) {
    set_deadline(request_began_ + limits_.request_time_max);
    if (head.expects_continue) {
      static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      boost::system::error_code error;
      co_await asio::async_write(socket_, asio::buffer(kContinue),
                                 asio::redirect_error(asio::use_awaitable, error));
      if (error) co_return false;
    }
  }
  while (input_.size() < head.content_length) {
    const Received received = co_await receive();
    if (received == Received::kTooLate) {
      const Problem problem = too_slow(limits_.request_time_max);
      co_await refuse(problem);
    }
    if (received != Received::kYes) co_return false;
    // A body counts as it arrives: a length that is only claimed takes nothing from others.
    if (!body_share_.grow_to(input_.size())) {
      const Problem problem = overloaded("Too many large requests at once.");
      co_await refuse(problem);
      co_return false;
    }
  }
  co_return true;
}

// Leaves the answer in output_.
asio::awaitable<void> Connection::answer(const RequestHead& head, KeepAlive keep_alive) {
  const std::string_view body(input_.data(), head.content_length);
  const auto pending = std::make_shared<PendingAnswer>();
  auto bytes = codec_.run(head, body, keep_alive, [&](HttpRequest request) {
    router_.handle(std::move(request), Responder(pending));
    return pending->take();
  });
  if (!bytes) {
    const auto executor = socket_.get_executor();
    co_await wait_for(pending, executor);
    bytes = codec_.run(head, body, keep_alive, [&](const HttpRequest&) { return pending->take(); });
  }
  output_ = *std::move(bytes);
}

asio::awaitable<Connection::Received> Connection::receive() {
  // The deadline may have passed between two reads, when there was nothing to cancel.
  if (expired_) co_return Received::kTooLate;
  boost::system::error_code error;
  const std::size_t size = co_await socket_.async_read_some(asio::buffer(chunk_),
                                                            asio::redirect_error(asio::use_awaitable, error));
  if (error) co_return expired_ ? Received::kTooLate : Received::kClosed;
  input_.append(chunk_.data(), size);
  co_return Received::kYes;
}

// Sends output_.
asio::awaitable<bool> Connection::send() {
  set_deadline(Clock::now() + limits_.idle_time_max);
  sending_ = true;
  boost::system::error_code error;
  co_await asio::async_write(socket_, asio::buffer(output_),
                             asio::redirect_error(asio::use_awaitable, error));
  sending_ = false;
  co_return !error && !expired_;
}

asio::awaitable<void> Connection::refuse(const Problem& problem) {
  input_ = std::string();
  body_share_.release();
  output_ = HttpCodec::refusal(problem);
  if (!co_await send()) co_return;
  boost::system::error_code error;
  socket_.shutdown(tcp::socket::shutdown_send, error);
  set_deadline(Clock::now() + limits_.linger_time_max);
  while (!error && !expired_) {
    co_await socket_.async_read_some(asio::buffer(chunk_), asio::redirect_error(asio::use_awaitable, error));
  }
}

void Connection::set_deadline(Clock::time_point time) {
  expired_ = false;
  deadline_.expires_at(time);
  deadline_.async_wait([self = shared_from_this()](boost::system::error_code error) {
    // A wait that was over when the deadline moved comes here without an error, too early.
    if (error || self->deadline_.expiry() > Clock::now()) return;
    self->expired_ = true;
    boost::system::error_code ignored;
    if (self->sending_) {
      self->socket_.close(ignored);  // A write is many small ones; cancelling might fall between two of them.
    } else {
      self->socket_.cancel(ignored);
    }
  });
}

}  // namespace cairn::api
