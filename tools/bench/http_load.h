#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "eventstore/base/result.h"

namespace cairn::bench {

// A load for a server on this machine: many connections, each with one request in flight.
struct HttpLoad {
  std::uint16_t port = 0;
  unsigned connections = 64;
  std::chrono::duration<double> duration{5};

  // An open loop at this rate: requests do not wait for earlier answers, and latency is measured from the
  // time a request was due. 0 is a closed loop: each connection sends its next request after the answer.
  double requests_per_second = 0;

  // Writes the next whole request of connection number `connection` to `to`.
  std::function<void(unsigned connection, std::string& to)> next;

  // Called with the latency of each append: in a closed loop of those answered within the duration, in an open
  // loop of all that were due within it.
  std::function<void(std::chrono::nanoseconds latency)> answered;

  // Called when an append is refused with 429 or 503. Without it a refusal ends the load.
  std::function<void(int status)> refused = {};
};

// Sends and receives in the calling thread, with as little work as possible, because it shares the machine
// with the server. Fails with kFailedPrecondition when an answer is neither 201 nor such a refusal.
Status run_http_load(const HttpLoad& load);

// Clients that follow the log from its beginning and never read from their sockets, until the destructor.
class StalledFollowers {
 public:
  static Result<StalledFollowers> connect(std::uint16_t port, unsigned count);
  StalledFollowers(StalledFollowers&&) noexcept;
  StalledFollowers& operator=(StalledFollowers&&) = delete;
  ~StalledFollowers();

 private:
  struct Sockets;
  explicit StalledFollowers(std::unique_ptr<Sockets> sockets);
  std::unique_ptr<Sockets> sockets_;
};

struct LinesOutcome {
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
};

// Reads every event of the log as lines, over one connection.
Result<LinesOutcome> read_all_lines(std::uint16_t port);

}  // namespace cairn::bench
