#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "api/http/worker_thread.h"
#include "eventstore/event_store.h"
#include "schemaregistry/events/event_codecs.h"
#include "schemaregistry/registry/schema_registry.h"

namespace cairn::api {

// The schema registry of a server, and the thread for what takes long with it: changes wait for the disk, and
// schemas that come from clients are read, which for the largest takes tens of milliseconds.
class RegistryService {
 public:
  // Reads the schemas of the store; fails as SchemaRegistry::open() does. REQUIRES: nothing is asked of the
  // service once `store` is gone.
  static Result<std::unique_ptr<RegistryService>> open(EventStore& store) {
    CAIRN_TRY(auto registry, SchemaRegistry::open(store));
    return std::make_unique<RegistryService>(std::move(registry));
  }

  explicit RegistryService(std::unique_ptr<SchemaRegistry> registry) : registry_(std::move(registry)) {}

  SchemaRegistry& registry() { return *registry_; }
  EventCodecs& codecs() { return codecs_; }
  WorkerThread& worker() { return worker_; }

 private:
  // Bodies of registry requests have at most 4 MiB.
  static constexpr std::size_t kWaitingMax = 64;

  std::unique_ptr<SchemaRegistry> registry_;
  EventCodecs codecs_{*registry_};
  WorkerThread worker_{kWaitingMax};
};

}  // namespace cairn::api
