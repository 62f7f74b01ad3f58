#pragma once

#include <atomic>

#include "eventstore/base/assert.h"

namespace cairn {
class EventShapes;
class EventStore;
class SchemaRegistry;
}  // namespace cairn

namespace cairn::api {

class AggregateService;
class DeployService;
class ProjectionService;
class RegistryService;

// Gives routes the store, its schemas, upcasters, aggregates and read models. Empty while the store recovers,
// so that the server can answer 503 meanwhile. Thread-safe.
class StoreSlot {
 public:
  // nullptr before set().
  EventStore* store() const { return store_.load(std::memory_order_acquire); }

  // nullptr before set(), and never nullptr once store() is not.
  RegistryService* registry_service() const { return registry_service_.load(std::memory_order_acquire); }
  SchemaRegistry* registry() const { return registry_.load(std::memory_order_acquire); }
  EventShapes* shapes() const { return shapes_.load(std::memory_order_acquire); }
  DeployService* deployments() const { return deployments_.load(std::memory_order_acquire); }
  AggregateService* aggregates() const { return aggregates_.load(std::memory_order_acquire); }

  // nullptr before set(), and with --projections off.
  ProjectionService* projections() const { return projections_.load(std::memory_order_acquire); }

  // Called once. REQUIRES: all outlive the last call of a route.
  void set(EventStore& store, SchemaRegistry& registry, RegistryService& registry_service,
           EventShapes& shapes, DeployService& deployments, AggregateService& aggregates,
           ProjectionService* projections) {
    CAIRN_ASSERT(this->store() == nullptr);
    registry_.store(&registry, std::memory_order_release);
    registry_service_.store(&registry_service, std::memory_order_release);
    shapes_.store(&shapes, std::memory_order_release);
    deployments_.store(&deployments, std::memory_order_release);
    aggregates_.store(&aggregates, std::memory_order_release);
    projections_.store(projections, std::memory_order_release);
    store_.store(&store, std::memory_order_release);  // last: routes look at it first
  }

 private:
  std::atomic<SchemaRegistry*> registry_{nullptr};
  std::atomic<RegistryService*> registry_service_{nullptr};
  std::atomic<EventShapes*> shapes_{nullptr};
  std::atomic<DeployService*> deployments_{nullptr};
  std::atomic<AggregateService*> aggregates_{nullptr};
  std::atomic<ProjectionService*> projections_{nullptr};
  std::atomic<EventStore*> store_{nullptr};
};

}  // namespace cairn::api
