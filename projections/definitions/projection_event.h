#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "eventstore/base/clock.h"
#include "eventstore/base/result.h"
#include "eventstore/types.h"

namespace cairn {

// A projection that was accepted, as it stands in $definitions. docs/format.md shows the event.
struct ProjectionDefinition {
  std::string name;
  std::string source;
  std::string fingerprint;     // of name and source
  std::uint32_t revision = 1;  // how many there were of the name, with this one
  bool keep_rows = false;      // it goes on with the rows of the one before
  GlobalPosition position;     // of the definition in the log
  Timestamp deployed_at;

  // How errors call it: "customers.lua".
  std::string file() const { return name + ".lua"; }
};

// A projection that was removed.
struct ProjectionRemoval {
  std::string name;
};

// 1 to 64 letters, digits, '_', '-' and '.', not beginning with '.': it names a folder too.
bool is_projection_name(std::string_view name);

// 32 hexadecimal digits that differ when name or source do.
std::string projection_fingerprint(std::string_view name, std::string_view source);

// Another kind of definition.
struct NoProjectionEvent {};

using ProjectionEvent = std::variant<ProjectionDefinition, ProjectionRemoval, NoProjectionEvent>;

NewEvent to_new_event(const ProjectionDefinition& definition);  // ProjectionDeployed
NewEvent to_new_event(const ProjectionRemoval& removal);        // ProjectionRemoved

// As it was read from $definitions. Fails with kFailedPrecondition for an event about projections that this
// program does not know, which a newer one has written, and with kCorruption for data that cannot be what was
// written.
Result<ProjectionEvent> read_projection_event(const EventView& stored);

}  // namespace cairn
