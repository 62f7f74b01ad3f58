#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "api/events/append_body.h"
#include "api/http/problem.h"
#include "upcasters/event_shapes.h"

namespace cairn::api {

// Runs the upcasters on an append of an old schema version before it is stored. A deployment runs an upcaster
// on all events that stand before it in the log; events behind it with an older schema are run here, so that
// every stored event can be read in the newest version of its type. Scripts see no position, version and time
// of an event here: see docs/lua.md. Used by one thread at a time.
class UpcastTrial {
 public:
  enum class Outcome {
    kPassed,
    kRefused,  // problem() says why
    kNotYet,   // the time is up; run() continues
  };

  // Whether an event of `body` may need an upcaster. Cheap where no event names a schema version.
  static bool needed_for(const AppendBody& body, const EventShapes& shapes);

  // REQUIRES: both outlive the trial, and `body` does not change.
  UpcastTrial(EventShapes& shapes, const AppendBody& body) : shapes_(shapes), body_(body) {}

  // Runs the upcasters on the remaining events, for about `time_max`.
  Outcome run(std::chrono::milliseconds time_max);

  // REQUIRES: run() returned kRefused.
  Problem problem() const;

 private:
  struct Failure {
    std::size_t event;  // its index in the request
    std::string type;
    std::string message;
  };

  // The reason why one event cannot be read in the newest version; nullopt when it can.
  std::optional<std::string> try_event(Shaper& shaper, const std::string& stream,
                                       const NewEvent& event) const;

  EventShapes& shapes_;
  const AppendBody& body_;
  // The next event: its stream, its index in the stream, and its index in the request.
  std::size_t stream_ = 0;
  std::size_t event_ = 0;
  std::size_t index_ = 0;
  std::size_t tried_ = 0;
  std::vector<Failure> failures_;
};

}  // namespace cairn::api
