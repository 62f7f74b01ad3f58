#include "api/net/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <optional>
#include <utility>

#include "api/http/feed_target.h"
#include "api/http/server_log.h"

// GCC 12 takes the operators new and delete of Asio's coroutine frames, which belong together, for a mismatch.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

namespace cairn::api {

namespace asio = boost::asio;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr std::size_t kNoHead = 0;

// An output buffer up to this size is kept for the next answer of the connection.
constexpr std::size_t kOutputKept = 16u << 10;

// Enough for a fast reader, and a bound on the kernel memory that a slow reader takes.
constexpr int kStreamSendBuffer = 256 << 10;

// A piece buffer up to this size is kept for the next piece of a stream.
constexpr std::size_t kPieceKept = 256u << 10;

constexpr std::string_view kLargeRequests = "large requests are in progress";
constexpr std::string_view kLargeAnswers = "large answers are being sent";

Problem head_too_large(std::size_t limit) {
  return Problem(431, "head-too-large", "The request head is too large",
                 fmt::format("Request line and headers are larger than {} bytes.", limit))
      .with("limit", limit);
}

// The first byte of a TLS handshake, and of no request.
constexpr char kTlsHandshake = '\x16';

Problem wants_no_tls() {
  return invalid_request("The client began TLS, and this server has no certificate: use http://.", "scheme");
}

Problem wants_tls() {
  return invalid_request("The client sent plain HTTP, and this server speaks TLS: use https://.", "scheme");
}

Problem too_slow(std::chrono::milliseconds limit) {
  return {408, "request-timeout", "The request took too long",
          fmt::format("The request did not arrive within {} ms.", limit.count())};
}

// Suspends the coroutine until there is an answer, which may come from any thread. Not a coroutine itself,
// because GCC 12 destroys a lambda twice that is created in a co_await expression.
asio::awaitable<void> wait_for(const std::shared_ptr<PendingAnswer>& pending, ClientTurns& turns) {
  return asio::async_initiate<const asio::use_awaitable_t<>, void()>(
      [&turns, pending](auto handler) {
        // Shared, because std::function requires a copyable callable and the handler can only be moved.
        auto resume = std::make_shared<decltype(handler)>(std::move(handler));
        const ClientId client = pending->client();
        pending->when_ready([&turns, client, resume] { turns.post(client, [resume] { (*resume)(); }); });
      },
      asio::use_awaitable);
}

// Runs `work` on a worker, and resumes the coroutine with whether it ran: not when the server stops, or when the
// workers have too much to do for this client. Not a coroutine itself, for the same reason.
asio::awaitable<bool> run_on(WorkerPool& workers, ClientId client, ClientTurns& turns,
                             std::function<void()> work) {
  return asio::async_initiate<const asio::use_awaitable_t<>, void(bool)>(
      [&workers, client, &turns, work = std::move(work)](auto handler) {
        auto resume = std::make_shared<decltype(handler)>(std::move(handler));
        const auto done = [&turns, client, resume](bool ran) {
          turns.post(client, [resume, ran] { (*resume)(ran); });
        };
        const auto submitted = workers.submit(client, [work, done] {
          work();
          done(true);
        });
        if (submitted != WorkerPool::Submitted::kYes) done(false);
      },
      asio::use_awaitable);
}

// Odd, as the ids of connections are not. The name outlives a reload of the tokens.
ClientId of_token(const Token& token) { return std::hash<std::string>()(token.name) | 1; }

void log_exception(const char* what) {
  server_log(
      LogEvent(LogLevel::kError, "request-failed", std::string("A request failed with an exception: ") + what)
          .with("error", what));
}

// Calls the route, whose answer may come later. An exception becomes a 500, and its text goes to the log only.
void call_route(RouteMatch match, HttpRequest request, const Responder& respond) {
  try {
    return Router::handle(std::move(match), std::move(request), respond);
  } catch (const std::exception& error) {
    log_exception(error.what());
  } catch (...) {
    log_exception("unknown");
  }
  respond(internal_error().to_response());
}

}  // namespace

Connection::Connection(tcp::socket socket, std::shared_ptr<TlsContext> tls,
                       const ConnectionServices& services, ClientTurns& turns, ClientId connection_id,
                       std::function<void(ClientId)> admitted)
    : connection_id_(connection_id),
      client_(connection_id),
      tls_(std::move(tls)),
      transport_(std::move(socket), tls_.get()),
      deadline_(transport_.executor()),
      pause_(transport_.executor()),
      services_(services),
      turns_(turns),
      on_admitted_(std::move(admitted)),
      limits_(services.limits),
      body_reservation_(services.bodies),
      answer_reservation_(services.answers) {}

asio::awaitable<void> Connection::run(std::shared_ptr<Connection> self) {
  self->services_.observer.connection_opened();
  self->opened_at_ = Clock::now();
  if (self->services_.on_access) self->peer_ = self->transport_.peer();
  if (co_await self->handshake()) {
    while (co_await self->serve_one()) {
    }
  }
  self->services_.observer.connection_closed();
  self->ended_ = true;
  self->transport_.close();
  self->deadline_time_ = Clock::time_point::min();  // A timer that has just expired must not start again.
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

void Connection::give_way() {
  asio::post(transport_.executor(), [self = shared_from_this()] {
    if (self->admitted_) return;
    self->finishing_ = true;
    self->transport_.close();
  });
}

std::optional<BlockedStream> Connection::blocked_stream() const {
  const MutexLock lock(blocked_mutex_);
  return blocked_;
}

void Connection::set_blocked_since(std::optional<Clock::time_point> since) {
  const MutexLock lock(blocked_mutex_);
  if (!since) {
    blocked_.reset();
    return;
  }
  blocked_ = BlockedStream{.since = *since, .client = client_, .bytes = answer_reservation_.bytes()};
}

void Connection::close_if_blocked(Clock::time_point since, std::function<void()> closed) {
  asio::post(transport_.executor(), [self = shared_from_this(), since, closed = std::move(closed)] {
    const auto blocked = self->blocked_stream();
    if (!blocked || blocked->since != since) {
      if (self->admitted_ && !self->ended_) self->on_admitted_(self->client_);
      return closed();
    }
    // Several answers may wait for the memory of one stream.
    if (self->when_closed_.empty()) self->close_blocked(since);
    self->when_closed_.push_back(closed);
  });
}

void Connection::close_blocked(Clock::time_point since) {
  services_.observer.stream_closed();
  services_.client_log.stream_closed(
      transport_.peer(), std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - since));
  transport_.close();
}

void Connection::close() {
  asio::post(transport_.executor(), [self = shared_from_this()] {
    self->finishing_ = true;
    boost::system::error_code ignored;
    self->pause_.cancel(ignored);
    self->transport_.close();
  });
}

void Connection::recheck_token() {
  asio::post(transport_.executor(), [self = shared_from_this()] {
    if (self->token_ == nullptr || self->services_.admission.is_in_force(*self->token_)) return;
    self->revoked_ = true;
    if (!self->streaming_) return;
    boost::system::error_code ignored;
    self->pause_.cancel(ignored);
    if (self->sending_) self->transport_.close();  // The client may not read what is being sent.
  });
}

// The TLS handshake, if there is one. False when it fails.
asio::awaitable<bool> Connection::handshake() {
  if (!transport_.is_tls()) co_return true;
  set_deadline(opened_at_ + limits_.first_request_time_max);
  boost::system::error_code error;
  co_await transport_.handshake(error);
  if (error) {
    server_log(LogEvent(LogLevel::kDebug, "tls-handshake-failed",
                        fmt::format("A TLS handshake with {} failed: {}", transport_.peer(), error.message()))
                   .with("remote", transport_.peer())
                   .with("error", error.message()));
  }
  if (Transport::is_plain_http(error)) transport_.answer_plainly(render_refusal(wants_tls()));
  co_return !error;
}

// Returns whether another request may follow.
asio::awaitable<bool> Connection::serve_one() {
  request_id_.clear();
  access_ = {};
  token_ = nullptr;
  const std::size_t head_bytes = co_await receive_head();
  if (head_bytes == kNoHead) co_return false;
  head_text_.assign(input_, 0, head_bytes);
  input_.erase(0, head_bytes);

  cors_origin_ = {};
  auto parsed = parse_request_head(head_text_, limits_);
  if (!parsed) {
    co_await refuse(parsed.error());
    co_return false;
  }
  const RequestHead& head = *parsed;
  access_.method = head.method;
  access_.target = head.target;
  const auto given_id = request_id_of(head);
  request_id_ = given_id ? std::string(*given_id) : id_prefix_ + std::to_string(++requests_);
  RouteMatch match = services_.router.find(head.method, head.target.substr(0, head.target.find('?')));
  const auto admitted = admit(head, match.route);
  if (!admitted) {
    // It may be an attempt to guess a token.
    services_.client_log.refused(head.method, head.target.substr(0, head.target.find('?')), transport_.peer(),
                                 admitted.error());
    // Before the body: a client without a token must not make the server read megabytes.
    co_await refuse(admitted.error(), match.dialect);
    co_return false;
  }
  // Only a request that needs its body makes the server receive one: the others are answered first, and the
  // connection is closed after it unless the body has arrived with the head.
  const bool takes_body = match.route != nullptr && match.route->takes_body();
  if (turns_.several()) co_await turns_.next(client_);
  if (takes_body && !co_await receive_body(head)) co_return false;
  // Behind the body: a connection that sends slowly does not keep others of its client waiting.
  std::optional<ClientTurns::Place> place;
  if (token_ != nullptr && match.route != nullptr && match.route->work == WorkKind::kAppend) {
    place.emplace(turns_, client_, head.content_length);
    co_await place->enter();
  }
  const bool body_is_here = input_.size() >= head.content_length;

  const KeepAlive keep_alive =
      head.keep_alive && body_is_here && !finishing_ ? KeepAlive::kYes : KeepAlive::kNo;
  const auto received = Clock::now();
  const Route* route = match.route;
  HttpResponse response = co_await answer(head, std::move(match));
  place.reset();  // before sending: the client may be slow
  services_.observer.answered(route, response.status, Clock::now() - received);
  access_.status = response.status;
  access_.bytes = 0;  // without "100 Continue"
  input_.erase(0, static_cast<std::size_t>(std::min<std::uint64_t>(head.content_length, input_.size())));
  if (input_.capacity() > chunk_.size() && input_.empty()) input_.shrink_to_fit();
  body_reservation_.release();

  bool sent = false;
  if (response.stream) {
    streaming_ = true;
    sent = co_await send_stream(head, std::move(response), keep_alive);
    streaming_ = false;
  } else {
    sent = co_await send_whole(head, std::move(response), keep_alive);
  }
  log_access();
  ticket_ = nullptr;
  answer_reservation_.release();
  if (output_.capacity() > kOutputKept) output_ = std::string();
  for (const auto& closed : std::exchange(when_closed_, {})) closed();
  if (sent && !body_is_here) co_await discard_input();
  co_return sent&& keep_alive == KeepAlive::kYes;
}

// Sets what the members say about the request: cors_origin_, is_preflight_, token_, ticket_, revoked_.
Answered<void> Connection::admit(const RequestHead& head, const Route* route) {
  token_ = nullptr;
  ticket_ = nullptr;
  revoked_ = false;
  CAIRN_TRY(cors_origin_, services_.origins.check(head, route));
  // Browsers send no token with a preflight.
  is_preflight_ = !cors_origin_.empty() && is_preflight(head);
  if (is_preflight_) return {};
  CAIRN_TRY(auto admitted, services_.admission.admit(head, route));
  token_ = std::move(admitted.token);
  ticket_ = std::move(admitted.ticket);
  client_ = token_ != nullptr ? of_token(*token_) : connection_id_;
  if (token_ != nullptr) turns_.note(client_);
  if (!admitted_ && (token_ != nullptr || !services_.admission.needs_token())) {
    admitted_ = true;
    on_admitted_(client_);
  }
  return {};
}

// Receives until input_ begins with a complete head. Returns the size of the head, or kNoHead when the
// connection has ended.
asio::awaitable<std::size_t> Connection::receive_head() {
  bool begun = false;
  std::size_t searched = 0;
  set_deadline(served_ ? Clock::now() + limits_.idle_time_max : opened_at_ + limits_.first_request_time_max);
  while (true) {
    // Some clients send an empty line after a body, which RFC 9112 tells servers to ignore.
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
      served_ = true;
      request_began_ = Clock::now();
      // Most requests arrive in one piece and need no deadline for the head.
      if (found == std::string::npos) set_deadline(request_began_ + limits_.head_time_max);
    }
    if (!transport_.is_tls() && input_.starts_with(kTlsHandshake)) {
      // At once: the client waits for the server's part of the handshake.
      const Problem problem = wants_no_tls();
      co_await refuse(problem);
      co_return kNoHead;
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

// 503 when the budget is exhausted, 429 when it nearly is and mostly by this client.
Answered<void> Connection::reserve(MemoryBudget::Reservation& reservation, std::size_t bytes,
                                   std::string_view of_what) {
  switch (reservation.grow_to(bytes, client_)) {
    case MemoryBudget::Grown::kYes:
      return {};
    case MemoryBudget::Grown::kFull:
      return overloaded(fmt::format("Too many {}.", of_what));
    case MemoryBudget::Grown::kOverShare:
      return too_many_requests(fmt::format("Too many {} for this client.", of_what));
  }
  return {};
}

// Reserves memory for an answer. Streams whose clients do not read are closed before it fails.
asio::awaitable<Answered<void>> Connection::reserve_answer(std::size_t bytes) {
  auto reserved = reserve(answer_reservation_, bytes, kLargeAnswers);
  if (reserved) co_return reserved;
  // The answer is in memory while it waits.
  MemoryBudget::Reservation waiting(services_.waiting_answers);
  if (waiting.grow_to(bytes, client_) != MemoryBudget::Grown::kYes) co_return reserved;

  // The streams that are being closed for it. Their threads may outlive this connection.
  const auto closing = std::make_shared<std::size_t>(0);
  const std::function<void()> closed = [weak = weak_from_this(), closing] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    asio::post(self->transport_.executor(), [self, closing] {
      --*closing;
      boost::system::error_code ignored;
      self->pause_.cancel(ignored);
    });
  };
  const auto give_up_at = Clock::now() + limits_.answer_wait_max;
  while (!reserved && Clock::now() < give_up_at) {
    if (*closing == 0) {
      // Again when another answer was faster.
      const auto streams = services_.make_room(bytes, client_, closed);
      if (!streams) break;
      *closing = *streams;
    }
    if (*closing > 0) {
      pause_.expires_at(give_up_at);
      boost::system::error_code ignored;
      co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    reserved = reserve(answer_reservation_, bytes, kLargeAnswers);
  }
  co_return reserved;
}

// Receives until input_ begins with the complete body. False when the connection has ended.
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
    // The budget is charged for received bytes: a Content-Length alone reserves nothing.
    if (const auto reserved = reserve(body_reservation_, input_.size(), kLargeRequests); !reserved) {
      const Problem problem = reserved.error();
      co_await refuse(problem);
      co_return false;
    }
    if (turns_.several()) co_await turns_.next(client_);
  }
  co_return true;
}

asio::awaitable<HttpResponse> Connection::answer(const RequestHead& head, RouteMatch match) {
  if (is_preflight_) co_return preflight_response();
  const std::size_t path_bytes = std::min(head.target.find('?'), head.target.size());
  HttpRequest request;
  request.method = head.method;
  request.path = head.target.substr(0, path_bytes);
  request.headers = head.headers;
  if (match.route != nullptr && match.route->takes_body()) {
    request.body = std::string_view(input_.data(), head.content_length);
  }
  request.token = token_;
  request.is_anonymous = token_ == nullptr && services_.admission.needs_token();
  request.id = request_id_;
  if (path_bytes < head.target.size()) {
    auto query = parse_query(head.target.substr(path_bytes + 1));
    if (!query) co_return invalid_request("The target is malformed.", "target").to_response();
    request.query = *std::move(query);
    if (ticket_ != nullptr) request.query.erase(kTicketParameter);
  }

  const auto pending = std::make_shared<PendingAnswer>(work_limits(match.route), client_);
  pending->budget().cancel_with(services_.stopping);
  if (!runs_on_worker(match, head)) {
    call_route(std::move(match), std::move(request), Responder(pending));
    if (auto response = pending->take()) co_return *std::move(response);
    if (pending->is_cancellable()) cancel_when_client_leaves(pending);
    co_await wait_for(pending, turns_);
    if (pending->is_cancellable()) transport_.cancel();
    co_return *pending->take();
  }

  // The request has views of this connection's buffers, so the connection lives until the handler has returned.
  struct Call {
    std::shared_ptr<Connection> self;
    RouteMatch match;
    HttpRequest request;
    std::optional<Responder> respond;

    Call() = default;
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    // A stopping server destroys the work in its queues.
    ~Call() {
      if (respond) (*respond)(not_yet("The server is stopping.").to_response());
    }
  };
  const bool is_trial = match.route->runs_on == RunsOn::kTrialWorker;
  WorkerPool& workers = is_trial ? services_.trial_workers : services_.workers;
  const auto submit = [&] {
    // Shared, because std::function requires a copyable callable.
    auto call = std::make_shared<Call>();
    call->self = shared_from_this();
    call->match = std::move(match);
    call->request = std::move(request);
    call->respond.emplace(pending);
    return workers.submit(client_, [call = std::move(call)] {
      const Responder respond = *std::exchange(call->respond, std::nullopt);
      const WorkBudget::OnThread measured(respond.budget());
      call_route(std::move(call->match), std::move(call->request), respond);
    });
  };
  switch (submit()) {
    case WorkerPool::Submitted::kYes:
      break;
    case WorkerPool::Submitted::kFull:
      co_return overloaded("Too many requests wait for a worker.").to_response();
    case WorkerPool::Submitted::kOverShare:
      co_return too_many_requests("Too many requests of this client wait for a worker.").to_response();
  }
  cancel_when_client_leaves(pending);
  co_await wait_for(pending, turns_);
  transport_.cancel();
  co_return *pending->take();
}

// A client that only closed its sending side still gets the answer, if the work ends before it is checked.
void Connection::cancel_when_client_leaves(const std::shared_ptr<PendingAnswer>& pending) {
  transport_.watch_for_close([self = shared_from_this(), pending] {
    self->services_.observer.cancelled();
    pending->budget().cancel();
  });
}

WorkLimits Connection::work_limits(const Route* route) const {
  const bool is_check = route != nullptr && route->work == WorkKind::kSchemaCheck;
  return {.cpu = is_check ? limits_.check_cpu_max : limits_.answer_cpu_max, .time = limits_.answer_time_max};
}

bool Connection::runs_on_worker(const RouteMatch& match, const RequestHead& head) const {
  if (match.route == nullptr || !match.outcome) return false;
  switch (match.route->runs_on) {
    case RunsOn::kConnectionThread:
      return false;
    case RunsOn::kWorker:
    case RunsOn::kTrialWorker:
      return true;
    case RunsOn::kWorkerIfLarge:
      return head.content_length > limits_.large_body_bytes;
  }
  return false;
}

asio::awaitable<bool> Connection::send_whole(const RequestHead& head, HttpResponse response,
                                             KeepAlive keep_alive) {
  add_headers(response);
  // Small answers are always sent: most of them acknowledge an append, which cannot be undone.
  if (response.body.size() > limits_.small_answer_bytes_max) {
    const auto reserved = co_await reserve_answer(response.body.size());
    if (!reserved) {
      response = reserved.error().to_response();
      add_headers(response);
      access_.status = response.status;
    }
  }
  const BodyForm form = head.method == "HEAD" ? BodyForm::kNone : BodyForm::kWhole;
  if (form == BodyForm::kNone || response.body.size() <= kOutputKept) {
    output_ = render(response, keep_alive, form);
    co_return co_await send(Pace::kWhole);
  }
  // A large body is sent without copying it, which would double its memory.
  std::string body = std::move(response.body);
  output_ = render_head(response, keep_alive, body.size());
  if (!co_await send(Pace::kWhole)) co_return false;
  output_ = std::move(body);
  co_return co_await send(Pace::kWhole);
}

// Sends pieces as they are made. A slow reader costs one piece of memory and no thread.
asio::awaitable<bool> Connection::send_stream(const RequestHead& head, HttpResponse response,
                                              KeepAlive keep_alive) {
  if (head.method == "HEAD") co_return co_await send_whole(head, std::move(response), keep_alive);
  add_headers(response);
  const bool chunked = !head.is_http_1_0;
  output_ = render(response, keep_alive, chunked ? BodyForm::kChunked : BodyForm::kUntilClose);
  transport_.limit_send_buffer(kStreamSendBuffer);
  BodySource& source = *response.stream;
  std::string piece;
  auto state = BodySource::Piece::kMore;
  bool begun = false;
  heartbeat_at_ = Clock::now() + limits_.heartbeat_interval;
  while (true) {
    if (revoked_) co_return false;
    // By the clock and not by silence: a source that is woken again and again and has nothing to send would
    // postpone it for ever.
    if (heartbeat_at_ <= Clock::now()) {
      const std::string_view heartbeat = source.heartbeat();
      if (!heartbeat.empty() && chunked) append_chunk(output_, heartbeat);
      if (!heartbeat.empty() && !chunked) output_ += heartbeat;
      heartbeat_at_ = Clock::now() + limits_.heartbeat_interval;
    }
    state = co_await next_piece(source, piece);
    if (state == BodySource::Piece::kFailed) co_return false;  // The client notices the missing end.
    // A client that only closed its sending side still gets what there is. A search that finds nothing sends
    // nothing, so that it would never notice that the client is gone: it ends.
    if (client_left_ && piece.empty() && state == BodySource::Piece::kMore) co_return false;
    if (state == BodySource::Piece::kWait && finishing_) state = BodySource::Piece::kEnd;
    if (!piece.empty() && chunked) append_chunk(output_, piece);
    if (!piece.empty() && !chunked) output_ += piece;
    if (state == BodySource::Piece::kEnd && chunked) output_ += kLastChunk;
    piece.clear();
    if (piece.capacity() > kPieceKept) piece = std::string();
    if (output_.size() > 2 * limits_.small_answer_bytes_max) {
      const auto reserved = co_await reserve_answer(output_.size());
      if (!reserved && begun) co_return false;
      if (!reserved) co_return co_await send_whole(head, reserved.error().to_response(), keep_alive);
    }
    begun = true;
    if (turns_.several()) co_await turns_.next(client_);
    if (!output_.empty() && !co_await send(Pace::kEachPart)) co_return false;
    // A source that looks for something to send and finds nothing lets other connections have the thread.
    if (output_.empty() && state == BodySource::Piece::kMore) {
      co_await asio::post(transport_.executor(), asio::use_awaitable);
    }
    if (state == BodySource::Piece::kEnd) co_return chunked;
    output_.clear();
    answer_reservation_.release();
    if (state == BodySource::Piece::kMore) continue;
    if (output_.capacity() > kOutputKept) output_ = std::string();
    co_await wait_for_more(source);
    if (client_left_) co_return false;
  }
}

// Each piece has the budget of a request: the stream may go on for days.
asio::awaitable<BodySource::Piece> Connection::next_piece(BodySource& source, std::string& to) {
  // Shared with the watch below, which may outlive the piece.
  const auto budget = std::make_shared<WorkBudget>(
      WorkLimits{.cpu = limits_.answer_cpu_max, .time = limits_.answer_time_max});
  budget->cancel_with(services_.stopping);
  auto piece = BodySource::Piece::kFailed;
  const std::function<void()> make = [&] {
    const WorkBudget::OnThread measured(*budget);
    piece = source.next(to, *budget);
  };
  if (!source.may_take_long()) {
    make();
    co_return piece;
  }
  transport_.watch_for_close([self = shared_from_this(), budget] {
    if (!self->client_left_) self->services_.observer.cancelled();
    self->client_left_ = true;
    budget->cancel();
  });
  co_await run_on(services_.workers, client_, turns_, make);
  transport_.cancel();
  co_return piece;
}

// Returns when there may be another piece, when a heartbeat is due, or when the connection is to finish.
asio::awaitable<void> Connection::wait_for_more(BodySource& source) {
  if (finishing_ || revoked_) co_return;
  set_deadline(Clock::time_point::max());
  pause_.expires_at(heartbeat_at_);
  source.when_ready([self = shared_from_this()] {
    // Posted, so that it runs after the wait below has begun; a cancel before it would be a lost wake-up.
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
  // The deadline may have passed between two reads, when there was no operation to cancel.
  if (expired_) co_return Received::kTooLate;
  boost::system::error_code error;
  const std::size_t size = co_await transport_.read_some(asio::buffer(chunk_), error);
  if (error) co_return expired_ ? Received::kTooLate : Received::kClosed;
  input_.append(chunk_.data(), size);
  co_return Received::kYes;
}

// Sends output_.
asio::awaitable<bool> Connection::send(Pace pace) {
  // A stream goes through the event loop after each piece, or a fast reader would monopolise this thread.
  std::size_t sent = pace == Pace::kWhole ? transport_.write_now(asio::buffer(output_)) : 0;
  if (sent == output_.size()) {
    access_.bytes += sent;
    co_return true;
  }
  set_deadline(Clock::now() + limits_.idle_time_max);
  sending_ = true;
  boost::system::error_code error;
  while (sent < output_.size() && !error && !expired_) {
    if (pace == Pace::kEachPart) {
      const auto now = Clock::now();
      if (sent > 0) set_deadline(now + limits_.idle_time_max);
      set_blocked_since(now);
    }
    sent += co_await transport_.write_some(asio::buffer(output_) + sent, error);
  }
  if (pace == Pace::kEachPart) set_blocked_since(std::nullopt);
  sending_ = false;
  access_.bytes += sent;
  // close_if_blocked() may have come between the last write and here.
  co_return !error && !expired_ && when_closed_.empty();
}

asio::awaitable<void> Connection::refuse(const Problem& problem, Dialect dialect) {
  services_.observer.answered(nullptr, problem.status(), std::chrono::nanoseconds(0));
  input_ = std::string();
  body_reservation_.release();
  HttpResponse response = problem.to_response(dialect);
  add_headers(response);
  output_ = render(response, KeepAlive::kNo, BodyForm::kWhole);
  access_.status = problem.status();
  access_.bytes = 0;
  const bool sent = co_await send(Pace::kWhole);
  log_access();
  if (sent) co_await discard_input();
}

// Ends the connection so that the client sees its answer: see ServerLimits::linger_time_max.
asio::awaitable<void> Connection::discard_input() {
  transport_.shutdown_send();
  set_deadline(Clock::now() + limits_.linger_time_max);
  boost::system::error_code error;
  while (!error && !expired_) {
    co_await transport_.read_some(asio::buffer(chunk_), error);
  }
}

void Connection::add_headers(HttpResponse& response) const {
  if (!cors_origin_.empty()) add_cors_headers(cors_origin_, response);
  if (!request_id_.empty()) response.headers.emplace_back(kRequestIdHeader, request_id_);
}

void Connection::log_access() {
  if (!services_.on_access) return;
  const std::string target = logged_target(access_.target);
  services_.on_access({.remote = peer_,
                       .token = token_ != nullptr ? std::string_view(token_->name) : std::string_view(),
                       .method = access_.method,
                       .target = target,
                       .request_id = request_id_,
                       .status = access_.status,
                       .bytes = access_.bytes,
                       .took = Clock::now() - request_began_});
}

// Deadlines change several times in each request, nearly always to a later time. Setting an Asio timer is
// expensive, so it keeps running and, when it expires early, is set to the deadline then in force.
void Connection::set_deadline(Clock::time_point time) {
  expired_ = false;
  deadline_time_ = time;
  if (time < deadline_.expiry() || !watching_) watch_deadline();
}

void Connection::watch_deadline() {
  watching_ = true;
  deadline_.expires_at(deadline_time_);
  deadline_.async_wait([self = shared_from_this()](boost::system::error_code error) {
    if (error) return;  // The timer was set again, or the connection has ended.
    if (Clock::now() < self->deadline_time_) return self->watch_deadline();
    self->watching_ = false;
    self->expired_ = true;
    if (self->sending_) {
      // A write is a loop of small ones, and a cancel could fall between two of them.
      self->transport_.close();
    } else {
      self->transport_.cancel();
    }
  });
}

}  // namespace cairn::api

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
