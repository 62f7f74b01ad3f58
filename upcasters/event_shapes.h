#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "upcasters/chain/chains.h"
#include "upcasters/definitions/produced_types.h"
#include "upcasters/definitions/registry_history.h"
#include "upcasters/definitions/upcasters.h"
#include "upcasters/deploy/deployer.h"
#include "upcasters/shaper_pool.h"

namespace cairn {

// All that decides in which shape the events of one store are read. Any thread.
class EventShapes {
 public:
  // Reads the definitions of the store. `log` gets what scripts say. Fails as Upcasters::catch_up() does.
  // REQUIRES: `store` and `registry` outlive it.
  static Result<std::unique_ptr<EventShapes>> open(EventStore& store, SchemaRegistry& registry,
                                                   LuaHost::Log log = {}) {
    std::unique_ptr<EventShapes> shapes(new EventShapes(store, registry, std::move(log)));
    CAIRN_CHECK(shapes->deployer_.start());
    return shapes;
  }

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
  EventShapes(EventStore& store, SchemaRegistry& registry, LuaHost::Log log)
      : upcasters_(store),
        history_(registry, upcasters_),
        shapers_(chains_, std::move(log)),
        deployer_(store, registry, upcasters_, history_, shapers_) {}

  Upcasters upcasters_;
  RegistryHistory history_;
  Chains chains_{history_};
  ShaperPool shapers_;
  Deployer deployer_;
};

}  // namespace cairn
