#pragma once

#include <chrono>
#include <string>

#include "projections/beside/built_projection.h"
#include "projections/definitions/projection_event.h"
#include "projections/projection_status.h"
#include "upcasters/event_shapes.h"

namespace cairn {

// What the status of a projection that another process builds is made of.
struct BuiltFacts {
  std::string name;
  std::shared_ptr<const BuiltView> view;
  std::string wanted;           // the fingerprint of the definition as it is now
  std::uint32_t revision = 0;   // of that
  bool is_being_built = false;  // there is a process that builds
  Timestamp now;
  Timestamp moved_at;  // when the checkpoint was last seen to be another one
  std::chrono::milliseconds stalled_after{30'000};
};

// What is only known to the process that builds (its speed, its errors since the start) is left out.
ProjectionStatus built_status(EventStore& store, EventShapes& shapes, const BuiltFacts& facts);

}  // namespace cairn
