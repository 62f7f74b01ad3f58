#include "api/net/connection.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
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

// A connection keeps an output buffer up to this size for its next answer.
constexpr std::size_t kOutputKept = 16u << 10;

// Enough for a fast reader; a slow one makes the system hold this much and no more.
constexpr int kStreamSendBuffer = 256 << 10;

// A stream keeps one up to this size for its next piece.
constexpr std::size_t kPieceKept = 256u << 10;

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

Connection::Connection(tcp::socket socket, TlsContext* tls, const ConnectionServices& services)
    : transport_(std::move(socket), tls),
      deadline_(transport_.executor()),
      pause_(transport_.executor()),
      services_(services),
      limits_(services.limits),
      body_share_(services.bodies),
      answer_share_(services.answers) {}

asio::awaitable<void> Connection::run(std::shared_ptr<Connection> self) {
  self->services_.observer.connection_opened();
  if (co_await self->greet()) {
    while (co_await self->serve_one()) {
    }
  }
  self->services_.observer.connection_closed();
  self->transport_.close();
  self->deadline_time_ = Clock::time_point::min();  // A timer that has just rung is not set again.
  boost::system::error_code ignored;
  self->deadline_.cancel(ignored);
}

void Connection::finish() {
  asio::post(transport_.executor(), [self = shared_from_this()] {
    self->finishing_ = true;
    boost::system::error_code ignored;
    self->pause_.cancel(ignored);
    if (self->idle_) self->transport_.cancel();
  });
}

// What comes before the first request. False when the client and we cannot agree.
asio::awaitable<bool> Connection::greet() {
  if (!transport_.is_tls()) co_return true;
  set_deadline(Clock::now() + limits_.head_time_max);
  boost::system::error_code error;
  co_await transport_.handshake(error);
  co_return !error;
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
  RouteMatch match = services_.router.find(head.method, head.target.substr(0, head.target.find('?')));
  const auto admitted = services_.gate.admit(head, match.route);
  if (const auto* problem = std::get_if<Problem>(&admitted)) {
    log_refusal(head, *problem);
    co_await refuse(*problem, match.dialect);  // Before its body: strangers may not send us megabytes.
    co_return false;
  }
  if (!co_await receive_body(head)) co_return false;

  const KeepAlive keep_alive = head.keep_alive && !finishing_ ? KeepAlive::kYes : KeepAlive::kNo;
  const auto received = Clock::now();
  const Route* route = match.route;
  HttpResponse response = co_await answer(head, std::move(match), std::get<const Token*>(admitted));
  services_.observer.answered(route, response.status, Clock::now() - received);
  input_.erase(0, head.content_length);
  if (input_.capacity() > chunk_.size() && input_.empty()) input_.shrink_to_fit();
  body_share_.release();

  bool sent = false;
  if (response.stream) {
    sent = co_await send_stream(head, std::move(response), keep_alive);
  } else {
    sent = co_await send_whole(head, std::move(response), keep_alive);
  }
  answer_share_.release();
  if (output_.capacity() > kOutputKept) output_ = std::string();
  co_return sent&& keep_alive == KeepAlive::kYes;
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
      output_ = kContinue;
      if (!co_await send(Pace::kWhole)) co_return false;
      set_deadline(request_began_ + limits_.request_time_max);
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

asio::awaitable<HttpResponse> Connection::answer(const RequestHead& head, RouteMatch match,
                                                 const Token* token) {
  const std::string_view body(input_.data(), head.content_length);
  const auto pending = std::make_shared<PendingAnswer>();
  auto response = codec_.run(head, body, [&](HttpRequest request) {
    request.token = token;
    Router::handle(std::move(match), std::move(request), Responder(pending));
    return pending->take();
  });
  if (!response) {
    const auto executor = transport_.executor();
    co_await wait_for(pending, executor);
    response = pending->take();
  }
  co_return *std::move(response);
}

asio::awaitable<bool> Connection::send_whole(const RequestHead& head, HttpResponse response,
                                             KeepAlive keep_alive) {
  // Small answers are always sent: most of them say that something was stored, and nobody could take it back.
  if (response.body.size() > limits_.small_answer_bytes_max && !answer_share_.grow_to(response.body.size())) {
    response = overloaded("Too many large answers at once.").to_response();
  }
  const BodyForm form = head.method == "HEAD" ? BodyForm::kNone : BodyForm::kWhole;
  if (form == BodyForm::kNone || response.body.size() <= kOutputKept) {
    output_ = render(response, keep_alive, form);
    co_return co_await send(Pace::kWhole);
  }
  // A large body is sent from where it is: a copy would take as much memory again.
  std::string body = std::move(response.body);
  output_ = render_head(response, keep_alive, body.size());
  if (!co_await send(Pace::kWhole)) co_return false;
  output_ = std::move(body);
  co_return co_await send(Pace::kWhole);
}

// Sends pieces as they are made. A client that takes them slowly holds one piece and no thread.
asio::awaitable<bool> Connection::send_stream(const RequestHead& head, HttpResponse response,
                                              KeepAlive keep_alive) {
  if (head.method == "HEAD") co_return co_await send_whole(head, std::move(response), keep_alive);
  const bool chunked = !head.is_http_1_0;
  output_ = render(response, keep_alive, chunked ? BodyForm::kChunked : BodyForm::kUntilClose);
  transport_.limit_send_buffer(kStreamSendBuffer);
  BodySource& source = *response.stream;
  std::string piece;
  auto state = BodySource::Piece::kMore;
  bool begun = false;
  while (true) {
    state = source.next(piece);
    if (state == BodySource::Piece::kFailed) co_return false;  // Without its end the client sees it is cut.
    if (state == BodySource::Piece::kWait && finishing_) state = BodySource::Piece::kEnd;
    if (!piece.empty() && chunked) append_chunk(output_, piece);
    if (!piece.empty() && !chunked) output_ += piece;
    if (state == BodySource::Piece::kEnd && chunked) output_ += kLastChunk;
    piece.clear();
    if (piece.capacity() > kPieceKept) piece = std::string();
    if (output_.size() > 2 * limits_.small_answer_bytes_max && !answer_share_.grow_to(output_.size())) {
      if (begun) co_return false;
      HttpResponse refusal = overloaded("Too many large answers at once.").to_response();
      co_return co_await send_whole(head, std::move(refusal), keep_alive);
    }
    begun = true;
    if (!output_.empty() && !co_await send(Pace::kEachPart)) co_return false;
    if (state == BodySource::Piece::kEnd) co_return chunked;
    output_.clear();
    answer_share_.release();
    if (state == BodySource::Piece::kMore) continue;
    if (output_.capacity() > kOutputKept) output_ = std::string();
    co_await wait_for_more(source);
    if (client_left_) co_return false;
    // A sign of life goes out with the next piece when nothing has come.
    if (pause_.expiry() <= Clock::now()) {
      if (chunked) {
        append_chunk(output_, source.sign_of_life());
      } else {
        output_ += source.sign_of_life();
      }
    }
  }
}

// Returns when there may be more, when nothing has come for a while, or when the server wants to end.
asio::awaitable<void> Connection::wait_for_more(BodySource& source) {
  if (finishing_) co_return;
  set_deadline(Clock::time_point::max());
  pause_.expires_after(limits_.sign_of_life_every);
  source.when_ready([self = shared_from_this()] {
    // Posted, so that it comes after the wait below has begun.
    asio::post(self->transport_.executor(), [self] {
      boost::system::error_code ignored;
      self->pause_.cancel(ignored);
    });
  });
  transport_.watch_for_close([self = shared_from_this()] {
    self->client_left_ = true;
    boost::system::error_code ignored;
    self->pause_.cancel(ignored);
  });
  boost::system::error_code error;
  co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, error));
  source.stop_waiting();
  transport_.cancel();
}

asio::awaitable<Connection::Received> Connection::receive() {
  // The deadline may have passed between two reads, when there was nothing to cancel.
  if (expired_) co_return Received::kTooLate;
  boost::system::error_code error;
  const std::size_t size = co_await transport_.read_some(asio::buffer(chunk_), error);
  if (error) co_return expired_ ? Received::kTooLate : Received::kClosed;
  input_.append(chunk_.data(), size);
  co_return Received::kYes;
}

// Sends output_.
asio::awaitable<bool> Connection::send(Pace pace) {
  // A stream waits its turn after each piece, or a quick reader would keep this thread to itself.
  std::size_t sent = pace == Pace::kWhole ? transport_.write_now(asio::buffer(output_)) : 0;
  if (sent == output_.size()) co_return true;
  set_deadline(Clock::now() + limits_.idle_time_max);
  sending_ = true;
  boost::system::error_code error;
  while (sent < output_.size() && !error && !expired_) {
    if (sent > 0 && pace == Pace::kEachPart) set_deadline(Clock::now() + limits_.idle_time_max);
    sent += co_await transport_.write_some(asio::buffer(output_) + sent, error);
  }
  sending_ = false;
  co_return !error && !expired_;
}

asio::awaitable<void> Connection::refuse(const Problem& problem, Dialect dialect) {
  services_.observer.answered(nullptr, problem.status(), std::chrono::nanoseconds(0));
  input_ = std::string();
  body_share_.release();
  output_ = render_refusal(problem, dialect);
  if (!co_await send(Pace::kWhole)) co_return;
  transport_.shutdown_send();
  set_deadline(Clock::now() + limits_.linger_time_max);
  boost::system::error_code error;
  while (!error && !expired_) {
    co_await transport_.read_some(asio::buffer(chunk_), error);
  }
}

// Somebody may be trying doors. What they showed is not logged: it may be nearly right.
void Connection::log_refusal(const RequestHead& head, const Problem& problem) {
  const auto left_out = services_.refusals.take(Clock::now());
  if (!left_out) return;
  const std::string more = *left_out == 0 ? "" : " (" + std::to_string(*left_out) + " like it before)";
  spdlog::warn("Refused {} {} from {}: {} {}{}", head.method, head.target.substr(0, head.target.find('?')),
               transport_.peer(), problem.status(), problem.slug(), more);
}

// Deadlines move several times for each request, nearly always to a later moment. So the timer is left as it
// is and, when it rings, set to what has become of the deadline by then.
void Connection::set_deadline(Clock::time_point time) {
  expired_ = false;
  deadline_time_ = time;
  if (time < deadline_.expiry() || !watching_) watch_deadline();
}

void Connection::watch_deadline() {
  watching_ = true;
  deadline_.expires_at(deadline_time_);
  deadline_.async_wait([self = shared_from_this()](boost::system::error_code error) {
    if (error) return;  // Set anew, or the connection is over.
    if (Clock::now() < self->deadline_time_) return self->watch_deadline();
    self->watching_ = false;
    self->expired_ = true;
    if (self->sending_) {
      self->transport_.close();  // A write is many small ones; cancelling might fall between two of them.
    } else {
      self->transport_.cancel();
    }
  });
}

}  // namespace cairn::api
