#pragma once

#include <atomic>

#include "api/registry/registry_service.h"
#include "eventstore/event_store.h"
#include "schemaregistry/registry/schema_registry.h"

namespace cairn::api {

// Where routes find the store and its schemas. Empty while the store recovers, so that the server can already
// say so. Any thread.
class StoreSlot {
 public:
  // nullptr before set().
  EventStore* store() const { return store_.load(std::memory_order_acquire); }

  // nullptr before set(); there whenever the store is.
  RegistryService* registry_service() const { return registry_.load(std::memory_order_acquire); }
  SchemaRegistry* registry() const {
    RegistryService* service = registry_service();
    return service == nullptr ? nullptr : &service->registry();
  }

  // REQUIRES: both live until no route runs any more.
  void set(EventStore& store, RegistryService& registry) {
    registry_.store(&registry, std::memory_order_release);
    store_.store(&store, std::memory_order_release);
  }

 private:
  std::atomic<RegistryService*> registry_{nullptr};
  std::atomic<EventStore*> store_{nullptr};
};

}  // namespace cairn::api
