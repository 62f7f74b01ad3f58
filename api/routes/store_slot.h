#pragma once

#include <atomic>

#include "api/aggregates/aggregate_service.h"
#include "api/projections/projection_service.h"
#include "api/registry/registry_service.h"
#include "api/upcasters/deploy_service.h"
#include "eventstore/event_store.h"
#include "schemaregistry/registry/schema_registry.h"
#include "upcasters/event_shapes.h"

namespace cairn::api {

// Where routes find the store, its schemas, its upcasters, its states and its read models. Empty while the
// store recovers, so that the server can already say so. Any thread.
class StoreSlot {
 public:
  // nullptr before set().
  EventStore* store() const { return store_.load(std::memory_order_acquire); }

  // These are nullptr before set(), and there whenever the store is.
  RegistryService* registry_service() const { return registry_.load(std::memory_order_acquire); }
  SchemaRegistry* registry() const {
    RegistryService* service = registry_service();
    return service == nullptr ? nullptr : &service->registry();
  }

  EventShapes* shapes() const { return shapes_.load(std::memory_order_acquire); }
  DeployService* deployments() const { return deployments_.load(std::memory_order_acquire); }
  AggregateService* aggregates() const { return aggregates_.load(std::memory_order_acquire); }

  // nullptr as well when this server has projections turned off.
  ProjectionService* projections() const { return projections_.load(std::memory_order_acquire); }

  // REQUIRES: all live until no route runs any more.
  void set(EventStore& store, RegistryService& registry, EventShapes& shapes, DeployService& deployments,
           AggregateService& aggregates, ProjectionService* projections) {
    registry_.store(&registry, std::memory_order_release);
    shapes_.store(&shapes, std::memory_order_release);
    deployments_.store(&deployments, std::memory_order_release);
    aggregates_.store(&aggregates, std::memory_order_release);
    projections_.store(projections, std::memory_order_release);
    store_.store(&store, std::memory_order_release);
  }

 private:
  std::atomic<RegistryService*> registry_{nullptr};
  std::atomic<EventShapes*> shapes_{nullptr};
  std::atomic<DeployService*> deployments_{nullptr};
  std::atomic<AggregateService*> aggregates_{nullptr};
  std::atomic<ProjectionService*> projections_{nullptr};
  std::atomic<EventStore*> store_{nullptr};
};

}  // namespace cairn::api
