#pragma once

#include <prometheus/metric_family.h>

#include <vector>

#include "eventstore/event_store.h"
#include "projections/aggregates/aggregate_states.h"
#include "schemaregistry/registry/schema_registry.h"
#include "upcasters/definitions/upcasters.h"

namespace cairn::api {

// The counters of the store.
std::vector<prometheus::MetricFamily> store_metrics(const EventStore& store);

// The size of the schema registry.
std::vector<prometheus::MetricFamily> registry_metrics(SchemaRegistry& registry);

// The number of upcasters.
prometheus::MetricFamily upcaster_metrics(const Upcasters& upcasters);

// The counters of folded states and snapshots, and the number of aggregates.
std::vector<prometheus::MetricFamily> state_metrics(AggregateStates& states);

}  // namespace cairn::api
