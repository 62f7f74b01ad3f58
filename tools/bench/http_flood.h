#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "eventstore/base/background_thread.h"
#include "eventstore/base/result.h"

namespace cairn::bench {

// A client that sends as much as a server takes, and more: many connections, each with its next append as soon
// as the last one was answered or refused, whatever Retry-After says.
struct HttpFloodLoad {
  std::uint16_t port = 0;
  unsigned connections = 64;
  std::string headers;  // further ones, each with its line end
  std::string body;     // of every append
  std::function<std::string(std::uint64_t append)> path;
};

// The answers so far.
struct HttpFloodCounts {
  std::uint64_t appended = 0;
  std::uint64_t too_many_requests = 0;  // 429
  std::uint64_t overloaded = 0;         // 503
};

// Runs such a load in a thread of its own until the destructor. The thread shares the processors with the
// server, and clients of a real server do not: it is scheduled as SCHED_IDLE, so that it gets the processor time
// that the server leaves, and never delays a thread of the server.
class HttpFlood {
 public:
  explicit HttpFlood(HttpFloodLoad load);

  // Thread-safe.
  HttpFloodCounts counts() const;

  // Ends the load. Fails when the server no longer accepts connections, or answers with a status that is
  // neither 201 nor counted above.
  Status stop();

 private:
  class Run;

  struct Atomics {
    std::atomic<std::uint64_t> appended = 0;
    std::atomic<std::uint64_t> too_many_requests = 0;
    std::atomic<std::uint64_t> overloaded = 0;
  };

  const HttpFloodLoad load_;
  Atomics counts_;
  std::optional<Error> error_;  // of the thread until it has ended
  BackgroundThread thread_;
};

}  // namespace cairn::bench
