#pragma once

#include "api/http/worker_pool.h"
#include "schemaregistry/events/event_codecs.h"
#include "schemaregistry/registry/schema_registry.h"

namespace cairn::api {

// The schema registry of a server, and the thread for its slow work: changes wait for the disk, and parsing
// the largest schemas takes tens of milliseconds. Thread-safe.
class RegistryService {
 public:
  // REQUIRES: `registry` outlives the service.
  explicit RegistryService(SchemaRegistry& registry) : registry_(registry) {}

  SchemaRegistry& registry() { return registry_; }
  EventCodecs& codecs() { return codecs_; }
  WorkerPool& worker() { return worker_; }

 private:
  // One thread, so that changes keep their order. Bodies of registry requests have at most 4 MiB.
  static constexpr WorkerPool::Options kWorker{.name = "cairn-registry", .threads = 1, .queue_max = 64};

  SchemaRegistry& registry_;
  EventCodecs codecs_{registry_};
  WorkerPool worker_{kWorker};
};

}  // namespace cairn::api
