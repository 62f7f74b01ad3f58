#pragma once

#include <utility>  // First: awaitable.hpp of Boost 1.74 needs it and does not say so.

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "api/http/gate.h"
#include "api/http/http_render.h"
#include "api/http/request_head.h"
#include "api/http/request_observer.h"
#include "api/http/responder.h"
#include "api/http/router.h"
#include "api/http/server_limits.h"
#include "api/net/http_codec.h"
#include "api/net/log_throttle.h"
#include "api/net/memory_budget.h"
#include "api/net/transport.h"

namespace cairn::api {

// What all connections of a server share.
struct ConnectionServices {
  const Router& router;
  const Gate& gate;
  const ServerLimits& limits;
  MemoryBudget& bodies;
  MemoryBudget& answers;
  RequestObserver& observer;
  LogThrottle& refusals;
};

// One client: reads a whole request within the limits, has it answered, writes the answer, and goes on to the
// next. Requests sent ahead (pipelined) wait in the socket, so answers leave in order.
//
// Everything happens on the socket's executor, which must have one thread or be a strand. While a request is
// being answered no thread is held.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // REQUIRES: what `services` refers to, and `tls` if there is any, outlive the connection.
  Connection(boost::asio::ip::tcp::socket socket, TlsContext* tls, const ConnectionServices& services);

  // Serves until the client leaves, is refused, or finish() was called and nothing is under way.
  static boost::asio::awaitable<void> run(std::shared_ptr<Connection> self);

  // Closes after the request that is under way, at once when there is none. Any thread.
  void finish();

 private:
  enum class Received { kYes, kClosed, kTooLate };

  // What a client is given to take an answer: all of it, or each part of it, within the idle time.
  enum class Pace { kWhole, kEachPart };

  boost::asio::awaitable<bool> serve_one();
  boost::asio::awaitable<bool> greet();
  boost::asio::awaitable<std::size_t> receive_head();
  boost::asio::awaitable<bool> receive_body(const RequestHead& head);
  boost::asio::awaitable<HttpResponse> answer(const RequestHead& head, RouteMatch match, const Token* token);
  boost::asio::awaitable<bool> send_whole(const RequestHead& head, HttpResponse response,
                                          KeepAlive keep_alive);
  boost::asio::awaitable<bool> send_stream(const RequestHead& head, HttpResponse response,
                                           KeepAlive keep_alive);
  boost::asio::awaitable<void> wait_for_more(BodySource& source);
  boost::asio::awaitable<Received> receive();
  boost::asio::awaitable<bool> send(Pace pace);
  boost::asio::awaitable<void> refuse(const Problem& problem, Dialect dialect = Dialect::kProblem);
  void log_refusal(const RequestHead& head, const Problem& problem);

  // From now on the socket's operations fail when `time` has passed.
  void set_deadline(std::chrono::steady_clock::time_point time);
  void watch_deadline();

  Transport transport_;
  boost::asio::steady_timer deadline_;                   // rings at the deadline or before
  std::chrono::steady_clock::time_point deadline_time_;  // the deadline itself
  boost::asio::steady_timer pause_;                      // a stream waits on it for news
  const ConnectionServices services_;
  const ServerLimits& limits_;
  MemoryBudget::Share body_share_;
  MemoryBudget::Share answer_share_;
  HttpCodec codec_;

  std::string head_text_;              // RequestHead has views into it
  std::string input_;                  // received and not yet answered: a body, and what was sent after it
  std::string output_;                 // the answer being sent
  std::array<char, 16u << 10> chunk_;  // where the socket is read into
  std::chrono::steady_clock::time_point request_began_;
  bool idle_ = false;  // waiting for the first byte of a request
  bool sending_ = false;
  bool watching_ = false;  // deadline_ is set
  bool client_left_ = false;
  bool finishing_ = false;  // finish() was called
  bool expired_ = false;    // the deadline has passed
};

}  // namespace cairn::api
