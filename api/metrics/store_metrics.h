#pragma once

#include <prometheus/metric_family.h>

#include <vector>

#include "eventstore/event_store.h"
#include "projections/aggregates/aggregate_states.h"
#include "schemaregistry/registry/schema_registry.h"
#include "upcasters/definitions/upcasters.h"

namespace cairn::api {

// What the store has counted itself, as it is now.
std::vector<prometheus::MetricFamily> store_metrics(const EventStore& store);

// How much the schema registry holds, as it is now.
std::vector<prometheus::MetricFamily> registry_metrics(SchemaRegistry& registry);

// How many upcasters there are, as it is now.
prometheus::MetricFamily upcaster_metrics(const Upcasters& upcasters);

// What was done for states, and how many aggregates there are, as it is now.
std::vector<prometheus::MetricFamily> state_metrics(AggregateStates& states);

}  // namespace cairn::api
