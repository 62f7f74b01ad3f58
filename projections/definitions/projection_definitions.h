#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "eventstore/event_store.h"
#include "projections/definitions/projection_event.h"
#include "upcasters/definitions/definition_follower.h"
#include "upcasters/lua/script_error.h"

namespace cairn {

// What is to be deployed.
struct ProjectionDraft {
  std::string name;
  std::string source;
  std::string file = "projection.lua";  // how errors call it
  bool keep_rows = false;               // go on with the rows there are, instead of building them anew
};

struct ProjectionDeployment {
  ProjectionDefinition definition;
  bool unchanged = false;  // it was there already, and nothing was done
};

using ProjectionRefusal = std::variant<ScriptError, Error>;
using ProjectionOutcome = std::variant<ProjectionDeployment, ProjectionRefusal>;

// The projections that stand in $definitions. Any thread.
class ProjectionDefinitions {
 public:
  // Knows nothing until catch_up(). REQUIRES: `store` outlives it.
  explicit ProjectionDefinitions(EventStore& store) : store_(store), follower_(store) {}

  // Takes notice of what was appended to $definitions. Fails with kFailedPrecondition when a newer program
  // has written there, kCorruption when an event cannot be read.
  Status catch_up();

  // Checks a script and makes it the projection of its name from now on. The same source again changes
  // nothing. Refused, it changes nothing either. A bad name is kInvalidArgument.
  ProjectionOutcome deploy(const ProjectionDraft& draft);

  // Ends a projection. kNotFound when there is none.
  Status remove(const std::string& name);

  std::optional<ProjectionDefinition> find(std::string_view name) const;
  std::vector<ProjectionDefinition> all() const;  // by name
  std::uint64_t changes() const { return changes_.load(std::memory_order_acquire); }

 private:
  Status apply(const EventView& stored);
  std::uint32_t revisions(const std::string& name) const;

  EventStore& store_;
  DefinitionFollower follower_;
  std::mutex deploy_mutex_;
  mutable std::shared_mutex mutex_;
  std::map<std::string, ProjectionDefinition, std::less<>> definitions_;
  std::map<std::string, std::uint32_t, std::less<>> revisions_;  // also of those that are gone
  std::atomic<std::uint64_t> changes_{0};
};

}  // namespace cairn
