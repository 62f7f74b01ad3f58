#pragma once

#include <prometheus/metric_family.h>

#include <vector>

#include "eventstore/event_store.h"

namespace cairn::api {

// What the store has counted itself, as it is now.
std::vector<prometheus::MetricFamily> store_metrics(const EventStore& store);

}  // namespace cairn::api
