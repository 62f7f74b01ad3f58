#pragma once

#include "api/events/follower_wakeups.h"
#include "api/metrics/metrics.h"
#include "eventstore/event_store.h"
#include "upcasters/event_shapes.h"

namespace cairn::api {

// The objects that answers with events are made from. They outlive the answers.
struct EventSource {
  EventStore& store;
  EventShapes& shapes;
  FollowerWakeups& wakeups;
  Metrics& metrics;
};

}  // namespace cairn::api
