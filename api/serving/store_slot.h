#pragma once

#include <atomic>

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

// Where routes find the store, its schemas, its upcasters, its states and its read models. Empty while the
// store recovers, so that the server can already say so. Any thread.
class StoreSlot {
 public:
  // nullptr before set().
  EventStore* store() const { return store_.load(std::memory_order_acquire); }

  // These are nullptr before set(), and there whenever the store is.
  RegistryService* registry_service() const { return registry_service_.load(std::memory_order_acquire); }
  SchemaRegistry* registry() const { return registry_.load(std::memory_order_acquire); }
  EventShapes* shapes() const { return shapes_.load(std::memory_order_acquire); }
  DeployService* deployments() const { return deployments_.load(std::memory_order_acquire); }
  AggregateService* aggregates() const { return aggregates_.load(std::memory_order_acquire); }

  // nullptr as well when this server has projections turned off.
  ProjectionService* projections() const { return projections_.load(std::memory_order_acquire); }

  // REQUIRES: all live until no route runs any more.
  void set(EventStore& store, SchemaRegistry& registry, RegistryService& registry_service,
           EventShapes& shapes, DeployService& deployments, AggregateService& aggregates,
           ProjectionService* projections) {
    registry_.store(&registry, std::memory_order_release);
    registry_service_.store(&registry_service, std::memory_order_release);
    shapes_.store(&shapes, std::memory_order_release);
    deployments_.store(&deployments, std::memory_order_release);
    aggregates_.store(&aggregates, std::memory_order_release);
    projections_.store(projections, std::memory_order_release);
    store_.store(&store, std::memory_order_release);
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
