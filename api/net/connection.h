#pragma once

#include <array>
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/access_record.h"
#include "api/http/admission.h"
#include "api/http/browser_origins.h"
#include "api/http/http_render.h"
#include "api/http/request_head.h"
#include "api/http/request_observer.h"
#include "api/http/responder.h"
#include "api/http/router.h"
#include "api/http/server_limits.h"
#include "api/http/worker_pool.h"
#include "api/net/blocked_streams.h"
#include "api/net/client_log.h"
#include "api/net/client_turns.h"
#include "api/net/memory_budget.h"
#include "api/net/transport.h"
#include "eventstore/base/mutex.h"
#include "eventstore/base/uuid.h"

namespace cairn::api {

// Closes streams whose clients do not read, so that `client` may have `bytes` more of the memory of answers.
// Returns how many it closes: `closed` is called once for each, from any thread, when its memory is given back
// or it turns out that its client reads after all. nullopt when closing all of them would not be enough; then
// none is closed.
using MakeRoom = std::function<std::optional<std::size_t>(std::size_t bytes, ClientId client,
                                                          const std::function<void()>& closed)>;

// The objects that all connections of a server share.
struct ConnectionServices {
  const Router& router;
  const Admission& admission;
  const BrowserOrigins& origins;
  const ServerLimits& limits;
  MemoryBudget& bodies;
  MemoryBudget& answers;
  MemoryBudget& waiting_answers;
  const MakeRoom& make_room;
  WorkerPool& workers;
  WorkerPool& trial_workers;
  const std::atomic<bool>& stopping;  // ends the work on answers
  RequestObserver& observer;
  ClientLog& client_log;
  const OnAccess& on_access;
};

// One connection: reads a whole request within the limits, has a route answer it, sends the answer, and
// continues with the next request. Pipelined requests wait in the socket, so answers are sent in order.
//
// All work is done on the socket's executor, which has one thread or is a strand. A connection that waits for
// its answer blocks no thread.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // `tls` is nullptr for plain HTTP. `admitted` is called, on the socket's executor, with the client of the first request that
  // shows the client may use the server: one with a valid token, or any that is served when none is needed.
  // `connection_id` is even. REQUIRES: the objects of `services`, and `turns`, which is that of the socket's
  // thread, outlive the connection.
  Connection(boost::asio::ip::tcp::socket socket, std::shared_ptr<TlsContext> tls,
             const ConnectionServices& services, ClientTurns& turns, ClientId connection_id,
             std::function<void(ClientId)> admitted);

  // Serves until the client disconnects or is refused, or until finish() was called and no request is in
  // progress.
  static boost::asio::awaitable<void> run(std::shared_ptr<Connection> self);

  // Graceful shutdown: closes after the current request, at once when there is none. Thread-safe.
  void finish();

  // Closes the connection unless it is admitted by now. Thread-safe.
  void give_way();

  // Closes the connection, whatever it does: its client has too many. Thread-safe.
  void close();

  // The stream that is being sent, if its client has not taken all of its last piece. `connection` is 0.
  // Thread-safe.
  std::optional<BlockedStream> blocked_stream() const CAIRN_EXCLUDES(blocked_mutex_);

  // Closes the connection if its stream has been blocked since then. If not, the stream continues, and the
  // connection has its place even if the server has just given it to another one. Calls `closed` afterwards, on
  // the connection's thread: memory of a stream that was closed is given back. Thread-safe.
  void close_if_blocked(std::chrono::steady_clock::time_point since, std::function<void()> closed);

  // Breaks off the stream that is being sent to a client whose token is not in force any more. Thread-safe.
  void recheck_token();

 private:
  enum class Received { kYes, kClosed, kTooLate };

  // What a client must receive within the idle time: the whole answer, or each part of it.
  enum class Pace { kWhole, kEachPart };

  boost::asio::awaitable<bool> serve_one();
  Answered<void> admit(const RequestHead& head, const Route* route);
  boost::asio::awaitable<bool> handshake();
  boost::asio::awaitable<std::size_t> receive_head();
  Answered<void> reserve(MemoryBudget::Reservation& reservation, std::size_t bytes, std::string_view of_what);
  boost::asio::awaitable<Answered<void>> reserve_answer(std::size_t bytes);
  boost::asio::awaitable<bool> receive_body(const RequestHead& head);
  boost::asio::awaitable<HttpResponse> answer(const RequestHead& head, RouteMatch match);
  boost::asio::awaitable<bool> send_whole(const RequestHead& head, HttpResponse response,
                                          KeepAlive keep_alive);
  boost::asio::awaitable<bool> send_stream(const RequestHead& head, HttpResponse response,
                                           KeepAlive keep_alive);
  boost::asio::awaitable<void> wait_for_more(BodySource& source);
  boost::asio::awaitable<BodySource::Piece> next_piece(BodySource& source, std::string& to);
  void cancel_when_client_leaves(const std::shared_ptr<PendingAnswer>& pending);
  WorkLimits work_limits(const Route* route) const;
  bool runs_on_worker(const RouteMatch& match, const RequestHead& head) const;
  boost::asio::awaitable<Received> receive();
  boost::asio::awaitable<bool> send(Pace pace);
  void set_blocked_since(std::optional<std::chrono::steady_clock::time_point> since)
      CAIRN_EXCLUDES(blocked_mutex_);
  void close_blocked(std::chrono::steady_clock::time_point since);
  boost::asio::awaitable<void> discard_input();
  boost::asio::awaitable<void> refuse(const Problem& problem, Dialect dialect = Dialect::kProblem);
  void add_headers(HttpResponse& response) const;
  void log_access();

  // Makes operations of the socket fail after `time`.
  void set_deadline(std::chrono::steady_clock::time_point time);
  void watch_deadline();

  const ClientId connection_id_;
  ClientId client_;                        // of the request: its token, or this connection
  const std::shared_ptr<TlsContext> tls_;  // before transport_, which uses it
  Transport transport_;
  boost::asio::steady_timer deadline_;                   // expires at deadline_time_ or earlier
  std::chrono::steady_clock::time_point deadline_time_;  // the deadline in force
  boost::asio::steady_timer pause_;                      // for a stream's next piece, or an answer's memory
  std::chrono::steady_clock::time_point heartbeat_at_;   // of a stream, when the next one is due
  const ConnectionServices services_;
  ClientTurns& turns_;
  const std::function<void(ClientId)> on_admitted_;
  const ServerLimits& limits_;
  MemoryBudget::Reservation body_reservation_;
  MemoryBudget::Reservation answer_reservation_;

  mutable Mutex blocked_mutex_;
  // While a piece of a stream is being sent: its last progress.
  std::optional<BlockedStream> blocked_ CAIRN_GUARDED_BY(blocked_mutex_);
  std::vector<std::function<void()>> when_closed_;  // of close_if_blocked()

  std::shared_ptr<const Token> token_;  // of the request; nullptr when none is needed
  std::shared_ptr<const void> ticket_;  // the use of the request's ticket; nullptr when it has none
  bool revoked_ = false;                // token_ is not in force any more
  // Of the request, for the access log. The views point into head_text_.
  struct Access {
    std::string_view method;
    std::string_view target;
    int status = 0;
    std::uint64_t bytes = 0;  // sent of the answer
  };
  Access access_;
  std::string peer_;              // set when there is an access log
  std::string_view cors_origin_;  // of the request's page, when it is allowed; else empty
  bool is_preflight_ = false;     // of the request
  std::string request_id_;        // of the request; empty until its head was parsed
  std::string head_text_;         // the views of RequestHead point here
  std::string input_;             // received and not yet handled: a body, and pipelined requests
  std::string output_;            // the answer being sent
  const std::string id_prefix_ = new_event_id().to_string() + "-";
  std::uint64_t requests_ = 0;         // that got an id of the server
  std::array<char, 16u << 10> chunk_;  // receive buffer of the socket
  std::chrono::steady_clock::time_point opened_at_;
  std::chrono::steady_clock::time_point request_began_;
  bool admitted_ = false;   // on_admitted_ was called
  bool served_ = false;     // a request has begun
  bool idle_ = false;       // waits for the first byte of a request
  bool streaming_ = false;  // sends pieces of a BodySource
  bool sending_ = false;
  bool watching_ = false;  // deadline_ is running
  bool client_left_ = false;
  bool finishing_ = false;  // finish() was called
  bool ended_ = false;      // run() has ended
  bool expired_ = false;    // the deadline has passed
};

}  // namespace cairn::api
