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

// All that decides in which shape the events of one store are read. Any thread.
class EventShapes {
 public:
  // Reads the definitions of the store. `log` gets what scripts say. Fails as Upcasters::catch_up() does.
  // REQUIRES: `store` and `registry` outlive it.
  static Result<std::unique_ptr<EventShapes>> open(EventStore& store, SchemaRegistry& registry,
                                                   LuaHost::Log log = {});

  // The same where the store is read beside the process that has it: nothing is appended, so nothing can be
  // deployed here either. What that process deploys counts after catch_up(). Fails as that does.
  static Result<std::unique_ptr<EventShapes>> open_reader(EventStore& store, SchemaRegistry& registry,
                                                          LuaHost::Log log = {});

  // Takes notice of all schemas and upcasters in the log. kOverloaded: one of them is about to be withdrawn
  // by the process that has the store; try again. REQUIRES: open_reader().
  Status catch_up();

  Chains& chains() { return chains_; }
  ShaperPool& shapers() { return shapers_; }
  Deployer& deployer() { return deployer_; }
  const Upcasters& upcasters() const { return upcasters_; }
  HistorySource& history() { return history_; }

  // The types under which events may be stored that come out as one of `wanted` in this shape.
  std::vector<std::string> stored_types(const std::vector<std::string>& wanted, Shape shape) const {
    return shape.kind == Shape::Kind::kStored ? wanted : stored_types_of(upcasters_, wanted);
  }

 private:
  EventShapes(EventStore& store, SchemaRegistry& registry, LuaHost::Log log, std::function<void()> refresh);

  SchemaRegistry& registry_;
  Upcasters upcasters_;

  // For trials of upcasters, which look at things as they are known and do not follow the log themselves.
  RegistryHistory known_;
  Chains known_chains_{known_};
  ShaperPool trials_;
  Deployer deployer_;

  RegistryHistory history_;
  Chains chains_{history_};
  ShaperPool shapers_;
};

}  // namespace cairn
