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

  // Ends the threads. Work that waits is dropped, and its clients are answered.
  void stop() {
    worker_.stop();
    rechecks_.stop();
  }

  // For appends that are checked again because a schema or an upcaster was deployed meanwhile.
  WorkerPool& rechecks() { return rechecks_; }

 private:
  // One thread, so that changes keep their order. Bodies of registry requests have at most 4 MiB.
  static constexpr WorkerPool::Options kWorker{.name = "cairn-registry", .threads = 1, .queue_max = 64};

  // One deployment makes all appends stale that were under way: as many as the writer's queue takes
  // (StoreOptions::queue_requests_max).
  static constexpr WorkerPool::Options kRechecks{
      .name = "cairn-recheck", .threads = 1, .queue_max = 1u << 16};

  SchemaRegistry& registry_;
  EventCodecs codecs_{registry_};
  WorkerPool worker_{kWorker};
  WorkerPool rechecks_{kRechecks};
};

}  // namespace cairn::api
