#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "upcasters/chain/chains.h"
#include "upcasters/definitions/produced_types.h"
#include "upcasters/definitions/registry_history.h"
#include "upcasters/definitions/upcasters.h"
#include "upcasters/deploy/deployer.h"
#include "upcasters/shaping/shaper_pool.h"

namespace cairn {

// The upcasters of one store and everything that shapes its events with them. Thread-safe.
class EventShapes {
 public:
  // Reads the definitions of the store. `log` receives the text that scripts log. Fails as
  // Upcasters::catch_up() does. REQUIRES: `store` and `registry` outlive it.
  static Result<std::unique_ptr<EventShapes>> open(EventStore& store, SchemaRegistry& registry,
                                                   LuaHost::Log log = {});

  // The same in a process that follows a store which another process writes: nothing is appended, so nothing
  // can be deployed here. Deployments of the writing process are applied by catch_up(). Fails as that does.
  static Result<std::unique_ptr<EventShapes>> open_reader(LogReader& log, SchemaRegistry& registry,
                                                          LuaHost::Log script_log = {});

  // Applies all schemas and upcasters in the log. kOverloaded: the writing process is about to withdraw one
  // of them; try again. REQUIRES: made by open_reader().
  Status catch_up();

  Chains& chains() { return chains_; }
  ShaperPool& shapers() { return shapers_; }
  Deployer& deployer() { return deployer_; }
  const Upcasters& upcasters() const { return upcasters_; }
  HistorySource& history() { return history_; }

  // The stored types of events that may be shaped into one of `wanted`.
  std::vector<std::string> stored_types(const std::vector<std::string>& wanted, Shape shape) const {
    return shape.kind == Shape::Kind::kStored ? wanted : stored_types_of(upcasters_, wanted);
  }

 private:
  EventShapes(StoreAccess store, SchemaRegistry& registry, LuaHost::Log log, std::function<void()> refresh);

  SchemaRegistry& registry_;
  Upcasters upcasters_;

  // For verifications: with the definitions as applied so far, without catching up.
  RegistryHistory known_;
  Chains known_chains_{known_};
  ShaperPool trials_;
  Deployer deployer_;

  RegistryHistory history_;
  Chains chains_{history_};
  ShaperPool shapers_;
};

}  // namespace cairn
