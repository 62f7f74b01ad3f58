#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/log_event.h"
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
  // Reads the definitions of the store, and repairs what version 0.1 left half done (see
  // upcasters/deploy/half_withdrawn.h); `on_log` gets a line about each repair, and about each
  // upcaster that is refused. `log` receives the text that scripts log. Fails as Upcasters::catch_up() does. REQUIRES: `store` and `registry` outlive it.
  static Result<std::unique_ptr<EventShapes>> open(EventStore& store, SchemaRegistry& registry,
                                                   LuaHost::Log log = {}, const LogSink& on_log = {});

  // The same in a process that follows a store which another process writes: nothing is appended, so nothing
  // can be deployed here. Deployments of the writing process are applied by catch_up(). Fails as that does.
  static Result<std::unique_ptr<EventShapes>> open_reader(LogReader& log, SchemaRegistry& registry,
                                                          LuaHost::Log script_log = {});

  // Applies all schemas and upcasters in the log. Fails as the catch_up() of registry and upcasters do.
  Status catch_up();

  // The revision of the schemas and upcasters that have been applied. What is read from them after this call
  // is at least as new; AppendChecks::revision tells whether it was the newest. Two atomic loads.
  SchemaRevision revision() const { return {registry_.changes() + upcasters_.stream_version()}; }

  Chains& chains() { return chains_; }
  ShaperPool& shapers() { return shapers_; }
  Deployer& deployer() { return deployer_; }
  AppendHold& hold() { return deployer_.hold(); }
  const Upcasters& upcasters() const { return upcasters_; }
  HistorySource& history() { return history_; }

  // The stored types of events that may be shaped into one of `wanted`.
  std::vector<std::string> stored_types(const std::vector<std::string>& wanted, Shape shape) const {
    return shape.kind == Shape::Kind::kStored ? wanted : stored_types_of(upcasters_, wanted);
  }

 private:
  EventShapes(StoreAccess store, SchemaRegistry& registry, LuaHost::Log log, LogSink on_log);

  SchemaRegistry& registry_;
  Upcasters upcasters_;
  RegistryHistory history_;
  Chains chains_{history_};
  ShaperPool shapers_;
  Deployer deployer_;
};

}  // namespace cairn
