#pragma once

#include <utility>  // First: awaitable.hpp of Boost 1.74 needs it and does not say so.

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "api/http_codec.h"
#include "api/memory_budget.h"
#include "api/request_head.h"
#include "api/responder.h"
#include "api/router.h"
#include "api/server_limits.h"

namespace cairn::api {

// One client: reads a whole request within the limits, has it answered, writes the answer, and goes on to the
// next. Requests sent ahead (pipelined) wait in the socket, so answers leave in order.
//
// Everything happens on the socket's executor, which must be a strand. While a request is being answered no
// thread is held.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // REQUIRES: `router`, `limits` and `bodies` outlive the connection.
  Connection(boost::asio::ip::tcp::socket socket, const Router& router, const ServerLimits& limits,
             MemoryBudget& bodies);

  // Serves until the client leaves, is refused, or finish() was called and nothing is under way.
  static boost::asio::awaitable<void> run(std::shared_ptr<Connection> self);

  // Closes after the request that is under way, at once when there is none. Any thread.
  void finish();

 private:
  enum class Received { kYes, kClosed, kTooLate };

  boost::asio::awaitable<bool> serve_one();
  boost::asio::awaitable<std::size_t> receive_head();
  boost::asio::awaitable<bool> receive_body(const RequestHead& head);
  boost::asio::awaitable<void> answer(const RequestHead& head, KeepAlive keep_alive);
  boost::asio::awaitable<Received> receive();
  boost::asio::awaitable<bool> send();
  boost::asio::awaitable<void> refuse(const Problem& problem);

  // From now on the socket's operations fail when `time` has passed.
  void set_deadline(std::chrono::steady_clock::time_point time);

  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer deadline_;
  const Router& router_;
  const ServerLimits& limits_;
  MemoryBudget::Share body_share_;
  HttpCodec codec_;

  std::string head_text_;              // RequestHead has views into it
  std::string input_;                  // received and not yet answered: a body, and what was sent after it
  std::string output_;                 // the answer being sent
  std::array<char, 16u << 10> chunk_;  // where the socket is read into
  std::chrono::steady_clock::time_point request_began_;
  bool idle_ = false;  // waiting for the first byte of a request
  bool sending_ = false;
  bool finishing_ = false;  // finish() was called
  bool expired_ = false;    // the deadline has passed
};

}  // namespace cairn::api
