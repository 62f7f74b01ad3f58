#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "eventstore/base/result.h"

namespace cairn {

// Something that runs on an engine and ends before it does: a service of the HTTP server, and whatever else
// needs a start and an orderly end.
struct EnginePart {
  std::string name;               // for messages
  std::function<Status()> start;  // empty: there is nothing to start
  std::function<void()> stop;  // finishes or gives up work under way and answers its waiters; empty: nothing
};

// The parts of one engine. They start in the order in which they were added and stop in the reverse order, so
// a part may rely on those before it from its start to its stop. One thread at a time.
class EngineParts {
 public:
  EngineParts() = default;
  ~EngineParts() { stop(); }
  EngineParts(const EngineParts&) = delete;
  EngineParts& operator=(const EngineParts&) = delete;

  // REQUIRES: not started yet.
  void add(EnginePart part);

  // Starts all parts. Fails with the error of the first one that cannot start, whose name the message gains;
  // those before it are stopped again. REQUIRES: not started yet.
  Status start();

  // Stops the parts that were started. Nothing if none was.
  void stop();

 private:
  std::vector<EnginePart> parts_;
  std::size_t started_ = 0;  // parts_[0..started_) run
  bool running_ = false;
};

}  // namespace cairn
