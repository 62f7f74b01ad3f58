#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "eventstore/base/mutex.h"
#include "eventstore/event_store.h"
#include "projections/aggregates/aggregate.h"
#include "projections/aggregates/aggregate_event.h"
#include "upcasters/definitions/definition_follower.h"
#include "upcasters/lua/lua_host.h"

namespace cairn {

// A script to deploy, and optionally the category that the client expects, which must be the one that the
// script declares.
struct AggregateDraft {
  std::string source;
  std::string file = "aggregate.lua";  // its name in error messages
  std::optional<std::string> category = {};
  RequestOrigin origin = {};  // goes into the metadata of the definition
};

struct AggregateDeployment {
  AggregateDefinition definition;
  bool unchanged = false;  // the same definition was deployed already
};

// The draft and the script name different categories.
struct WrongCategory {
  std::string message;
};

using AggregateRefusal = std::variant<ScriptError, WrongCategory, Error>;

// The aggregates of one event store: scripts, which are in $definitions, and native (C++) ones, which the
// program adds. Thread-safe.
class Aggregates {
 public:
  // Empty until catch_up(). `log` receives the log output of scripts. REQUIRES: `store` outlives it.
  explicit Aggregates(EventStore& store, LuaHost::Log log = {})
      : store_(store), follower_(store), log_(std::move(log)) {}

  // Applies the new events of $definitions. Fails with kFailedPrecondition when a newer program has written
  // there, kCorruption when an event cannot be read.
  Status catch_up();

  // Checks a script, runs its initial(), and makes it the aggregate of its category. Idempotent: deploying
  // the same source again changes nothing. Nor does a failure.
  Result<AggregateDeployment, AggregateRefusal> deploy(const AggregateDraft& draft);

  // Adds a native aggregate, which takes precedence over a script of the same category. REQUIRES: not null.
  void add(std::shared_ptr<const Aggregate> aggregate);

  // nullptr when there is none.
  std::shared_ptr<const Aggregate> find(std::string_view category) const;

  // The definition of the category's script; nullopt when it has none.
  std::optional<AggregateDefinition> definition(std::string_view category) const;
  std::vector<AggregateDefinition> definitions() const;       // by category
  std::vector<std::shared_ptr<const Aggregate>> all() const;  // by category, with the native ones
  std::uint64_t changes() const { return changes_.load(std::memory_order_acquire); }

 private:
  struct Script {
    AggregateDefinition definition;
    std::shared_ptr<const Aggregate> aggregate;
  };

  Status apply(const EventView& stored);

  EventStore& store_;
  DefinitionFollower follower_;
  LuaHost::Log log_;
  Mutex deploy_mutex_;  // one deploy() at a time; taken before mutex_
  mutable SharedMutex mutex_;
  std::map<std::string, Script, std::less<>> scripts_ CAIRN_GUARDED_BY(mutex_);
  std::map<std::string, std::shared_ptr<const Aggregate>, std::less<>> native_ CAIRN_GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> changes_{0};
};

}  // namespace cairn
