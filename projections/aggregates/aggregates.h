#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "eventstore/event_store.h"
#include "projections/aggregates/aggregate.h"
#include "projections/aggregates/aggregate_event.h"
#include "upcasters/definitions/definition_follower.h"
#include "upcasters/lua/lua_host.h"

namespace cairn {

// What is to be deployed: a script, and the category the client says it is for, which must agree with what
// the script says itself.
struct AggregateDraft {
  std::string source;
  std::string file = "aggregate.lua";  // how errors call it
  std::optional<std::string> category = {};
};

struct AggregateDeployment {
  AggregateDefinition definition;
  bool unchanged = false;  // it was there already, and nothing was done
};

// The draft says one category, the script another.
struct WrongCategory {
  std::string message;
};

using AggregateRefusal = std::variant<ScriptError, WrongCategory, Error>;
using AggregateOutcome = std::variant<AggregateDeployment, AggregateRefusal>;

// The aggregates of one event store: those of $definitions, which are scripts, and those that the program
// itself brings along. Any thread.
class Aggregates {
 public:
  // Knows nothing until catch_up(). `log` gets what scripts say. REQUIRES: `store` outlives it.
  explicit Aggregates(EventStore& store, LuaHost::Log log = {})
      : store_(store), follower_(store), log_(std::move(log)) {}

  // Takes notice of what was appended to $definitions. Fails with kFailedPrecondition when a newer program
  // has written there, kCorruption when an event cannot be read.
  Status catch_up();

  // Checks a script, runs its initial(), and makes it the aggregate of its category from now on. The same
  // source again changes nothing. Refused, it changes nothing either.
  AggregateOutcome deploy(const AggregateDraft& draft);

  // Adds one of the program's own, which goes before a script of the same category. REQUIRES: not null.
  void add(std::shared_ptr<const Aggregate> aggregate);

  // nullptr when there is none.
  std::shared_ptr<const Aggregate> find(std::string_view category) const;

  // The script's definition; nullopt when the category has none.
  std::optional<AggregateDefinition> definition(std::string_view category) const;
  std::vector<AggregateDefinition> definitions() const;       // by category
  std::vector<std::shared_ptr<const Aggregate>> all() const;  // by category, also those of the program
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
  std::mutex deploy_mutex_;
  mutable std::shared_mutex mutex_;
  std::map<std::string, Script, std::less<>> scripts_;
  std::map<std::string, std::shared_ptr<const Aggregate>, std::less<>> own_;
  std::atomic<std::uint64_t> changes_{0};
};

}  // namespace cairn
