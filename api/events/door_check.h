#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "api/events/append_body.h"
#include "api/http/problem.h"
#include "upcasters/event_shapes.h"

namespace cairn::api {

// Looks whether the events of an append can be read as the newest version of their type. Upcasters were tried
// on all that was stored before them; what comes in with an older schema later is tried here, before it is
// stored. Belongs to one thread at a time.
class DoorCheck {
 public:
  enum class Outcome {
    kPassed,
    kRefused,  // problem() says why
    kNotYet,   // the time was up; run() goes on
  };

  // Whether there is anything to look at. Costs nothing for events of the newest version.
  static bool concerns(const AppendBody& body, const EventShapes& shapes);

  // REQUIRES: `shapes` outlives it.
  DoorCheck(EventShapes& shapes, AppendBody body) : shapes_(shapes), body_(std::move(body)) {}

  Outcome run(std::chrono::milliseconds time_max);
  Problem problem() const;
  AppendBody take_body() { return std::move(body_); }

 private:
  // What is wrong with one event.
  std::optional<std::string> try_event(Shaper& shaper, const std::string& stream,
                                       const NewEvent& event) const;

  EventShapes& shapes_;
  AppendBody body_;
  std::size_t stream_ = 0;  // where it stands
  std::size_t event_ = 0;   // of the stream
  std::size_t index_ = 0;   // through all streams
  std::size_t tried_ = 0;
  std::size_t failed_ = 0;
  std::string first_;
  std::string failures_;  // as JSON, without brackets
};

}  // namespace cairn::api
