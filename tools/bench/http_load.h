#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "eventstore/base/result.h"

namespace cairn::bench {

// Work for a server on this machine, to measure it with: many connections, each with one request under way at
// a time.
struct HttpLoad {
  std::uint16_t port = 0;
  unsigned connections = 64;
  std::chrono::duration<double> duration{5};

  // Requests are due evenly at this rate, whether those before were answered or not, and their latency is
  // counted from when they were due. 0: each connection asks again as soon as it was answered.
  double requests_per_second = 0;

  // Writes the next whole request of connection number `connection` to `to`.
  std::function<void(unsigned connection, std::string& to)> next;

  // Told how long each answer took that came within the duration.
  std::function<void(std::chrono::nanoseconds latency)> answered;
};

// Sends and receives in this thread, with as little work as a client can do: it shares the machine with the
// server. Fails with kFailedPrecondition when an answer is not 201.
Status run_http_load(const HttpLoad& load);

// Clients that follow the log from its beginning and never read what they are sent, for as long as it lives.
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
