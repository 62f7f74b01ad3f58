#pragma once

#include "api/events/news_bell.h"
#include "api/metrics/metrics.h"
#include "eventstore/event_store.h"
#include "upcasters/event_shapes.h"

namespace cairn::api {

// What answers with events are made from. All of it outlives them.
struct EventSource {
  EventStore& store;
  EventShapes& shapes;
  NewsBell& bell;
  Metrics& metrics;
};

}  // namespace cairn::api
