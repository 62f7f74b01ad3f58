#pragma once

#include "eventstore/base/log_event.h"
#include "eventstore/event_store.h"
#include "schemaregistry/registry/schema_registry.h"
#include "upcasters/chain/type_history.h"
#include "upcasters/definitions/upcasters.h"

namespace cairn {

// Version 0.1 withdrew a failed deployment in three appends: the upcaster, the version that came with it
// soft-deleted, and then removed. Where that process ended after the first or the second, the version stands
// in the registry without its upcaster. This finishes it, in one append for each: when no event is stored
// with the version and no schema refers to it, the version is removed; otherwise version and upcaster are put
// back. `on_log` gets a line about each. An append that fails is reported there too, and tried again at
// the next start. Fails as reads of the store do.
Status repair_half_withdrawn(EventStore& store, SchemaRegistry& registry, Upcasters& upcasters,
                             HistorySource& history, const LogSink& on_log);

}  // namespace cairn
