#pragma once

#include <atomic>

#include "api/http/worker_pool.h"
#include "schemaregistry/events/event_codecs.h"
#include "schemaregistry/registry/schema_registry.h"

namespace cairn::api {

// The schema registry of a server, and the thread for its slow work: changes wait for the disk, and comparing a
// schema with all versions of its subject may take seconds. Thread-safe.
class RegistryService {
 public:
  // REQUIRES: `registry` outlives the service.
  explicit RegistryService(SchemaRegistry& registry) : registry_(registry) {}

  SchemaRegistry& registry() { return registry_; }
  EventCodecs& codecs() { return codecs_; }
  WorkerPool& worker() { return worker_; }

  // Set by cancel_checks(). The budgets of its tasks end with it.
  const std::atomic<bool>& cancelled() const { return cancelled_; }

  // Ends the checks that run or wait: their clients are answered while the server can still send it.
  void cancel_checks() { cancelled_.store(true, std::memory_order_relaxed); }

  // Ends the threads. Work that waits is dropped, and its clients are answered.
  void stop() {
    cancel_checks();
    worker_.stop();
    rechecks_.stop();
    causes_.stop();
  }

  // For appends that are checked again because a schema or an upcaster was deployed meanwhile.
  WorkerPool& rechecks() { return rechecks_; }

  // For appends that name their cause, which is read from the log.
  WorkerPool& causes() { return causes_; }

 private:
  // One thread, so that the changes of a client keep their order. Bodies of registry requests have at most 4 MiB.
  static constexpr WorkerPool::Options kWorker{.name = "cairn-registry", .threads = 1, .queue_max = 64};

  // One deployment makes all appends stale that were under way: as many as the writer's queue takes
  // (StoreOptions::queue_requests_max).
  static constexpr WorkerPool::Options kRechecks{
      .name = "cairn-recheck", .threads = 1, .queue_max = 1u << 16};

  // A read takes as long as the disk; a request waits here instead of in the writer's queue.
  static constexpr WorkerPool::Options kCauses{.name = "cairn-cause", .threads = 2, .queue_max = 4096};

  std::atomic<bool> cancelled_{false};
  SchemaRegistry& registry_;
  EventCodecs codecs_{registry_};
  WorkerPool worker_{kWorker};
  WorkerPool rechecks_{kRechecks};
  WorkerPool causes_{kCauses};
};

}  // namespace cairn::api
