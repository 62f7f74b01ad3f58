#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "eventstore/store_access.h"
#include "projections/definitions/projection_event.h"
#include "upcasters/definitions/definition_follower.h"
#include "upcasters/lua/script_error.h"

namespace cairn {

// A script to deploy.
struct ProjectionDraft {
  std::string name;
  std::string source;
  std::string file = "projection.lua";  // its name in error messages
  bool keep_rows = false;               // continue with the existing rows instead of rebuilding them
  RequestOrigin origin = {};            // goes into the metadata of the definition
};

struct ProjectionDeployment {
  ProjectionDefinition definition;
  bool unchanged = false;  // the same definition was deployed already, and its rows are there or being built
};

using ProjectionRefusal = std::variant<ScriptError, Error>;

// The projections in $definitions. Thread-safe.
class ProjectionDefinitions {
 public:
  // Empty until catch_up(). deploy() adds no projection beyond `projections_max`; those that are there stay.
  // REQUIRES: `store` outlives it.
  explicit ProjectionDefinitions(StoreAccess store, std::size_t projections_max)
      : store_(store), projections_max_(projections_max), follower_(store.log()) {}

  // Applies the new events of $definitions. Fails with kFailedPrecondition when a newer program has written
  // there, kCorruption when an event cannot be read.
  Status catch_up();

  // Checks a script and makes it the projection of its name. Idempotent: deploying the same source again
  // changes nothing. Nor does a failure. kInvalidArgument: the name is invalid. kTooLarge: there are as many
  // projections as there may be.
  Result<ProjectionDeployment, ProjectionRefusal> deploy(const ProjectionDraft& draft);

  // Removes a projection. kNotFound when there is none.
  Status remove(const std::string& name, const RequestOrigin& origin = {});

  std::optional<ProjectionDefinition> find(std::string_view name) const;
  std::vector<ProjectionDefinition> all() const;  // by name
  std::uint64_t changes() const { return changes_.load(std::memory_order_acquire); }

 private:
  Status apply(const EventView& stored);
  Status check_room() const;
  std::uint32_t last_revision(const std::string& name) const;

  const StoreAccess store_;
  const std::size_t projections_max_;
  DefinitionFollower follower_;
  Mutex deploy_mutex_;  // one deploy() or remove() at a time; taken before mutex_
  mutable SharedMutex mutex_;
  std::map<std::string, ProjectionDefinition, std::less<>> definitions_ CAIRN_GUARDED_BY(mutex_);
  // The last revision of each name, also of removed projections.
  std::map<std::string, std::uint32_t, std::less<>> revisions_ CAIRN_GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> changes_{0};
};

}  // namespace cairn
