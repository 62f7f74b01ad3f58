#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

#include "eventstore/event_store.h"
#include "projections/aggregates/aggregate_states.h"
#include "projections/daemon/projection_daemon.h"
#include "projections/engine/engine_parts.h"
#include "schemaregistry/registry/schema_registry.h"
#include "upcasters/event_shapes.h"

namespace cairn {

// What becomes of the read models under the data folder.
enum class ReadModelMode {
  kOff,    // left alone
  kBuild,  // built and served by this process
  kRead,   // served here while another process builds them (`cairn project`)
};

struct EngineOptions {
  StoreOptions store;
  AggregateStatesOptions states;
  DaemonOptions daemon;
  ReadModelMode read_models = ReadModelMode::kBuild;
  LuaHost::Log log = {};  // gets what scripts print, unless `states` or `daemon` have a log of their own

  // Called once the store is recovered, before schemas and read models are opened.
  std::function<void(const EventStore& store, std::chrono::nanoseconds took)> on_store_open;
};

// A store with everything that is derived from it: schema registry, shapes, states and read models, opened in
// that order. Other parts join with add(). Accessors are thread-safe; add(), start() and close() are for the
// owner's thread.
class Engine {
 public:
  // Opens all of it; nothing is built before start(). Fails as EventStore::open(), SchemaRegistry::open(),
  // EventShapes::open(), AggregateStates::open() and ProjectionDaemon::open() do.
  static Result<std::unique_ptr<Engine>> open(const std::filesystem::path& folder,
                                              EngineOptions options = {});
  ~Engine() { close(); }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  EventStore& store() { return *store_; }
  SchemaRegistry& registry() { return *registry_; }
  EventShapes& shapes() { return *shapes_; }
  AggregateStates& states() { return *states_; }

  // nullptr with ReadModelMode::kOff.
  ReadModels* read_models() { return read_models_.get(); }

  // The same object where this process builds the read models (ReadModelMode::kBuild), otherwise nullptr.
  ProjectionDaemon* daemon() { return daemon_; }

  // A part that starts after the daemon and the parts added before it, and stops before them.
  // REQUIRES: not started yet.
  void add(EnginePart part) { parts_.add(std::move(part)); }

  // Starts the daemon and then the parts. Native projections are added to the daemon before.
  Status start() { return parts_.start(); }

  // Stops the parts in reverse order, then closes daemon, states and store, and at last shapes and registry.
  // What was not committed to a read model is done again at the next start. Nothing if it is closed already.
  void close();

 private:
  Engine() = default;

  std::unique_ptr<EventStore> store_;
  std::unique_ptr<SchemaRegistry> registry_;
  std::unique_ptr<EventShapes> shapes_;
  std::unique_ptr<AggregateStates> states_;
  std::unique_ptr<ReadModels> read_models_;
  ProjectionDaemon* daemon_ = nullptr;  // read_models_, when this process builds them
  EngineParts parts_;
};

}  // namespace cairn
