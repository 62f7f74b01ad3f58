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

// A deployed projection, as stored in $definitions. docs/format.md describes the event.
struct ProjectionDefinition {
  std::string name;
  std::string source;
  std::string fingerprint;     // of name and source
  std::uint32_t revision = 1;  // counts the definitions of the name, from 1
  bool keep_rows = false;      // it continues with the rows of the previous one
  GlobalPosition position;     // of the definition in the log
  Timestamp deployed_at;

  // The file name in error messages: "customers.lua".
  std::string file() const { return name + ".lua"; }
};

// A projection that was removed.
struct ProjectionRemoval {
  std::string name;
};

// 1 to 64 letters, digits, '_', '-' and '.', not beginning with '.': it is also the name of a folder.
bool is_projection_name(std::string_view name);

// Fails with kInvalidArgument when it cannot be the name of a new projection: it is no name, or a file of ours
// has it in the folder of all read models. Stores may have older definitions with such a name.
Status check_new_projection_name(std::string_view name);

// 32 hexadecimal digits: a hash of name and source.
std::string projection_fingerprint(std::string_view name, std::string_view source);

// Another kind of definition.
struct NoProjectionEvent {};

using ProjectionEvent = std::variant<ProjectionDefinition, ProjectionRemoval, NoProjectionEvent>;

NewEvent to_new_event(const ProjectionDefinition& definition);  // ProjectionDeployed
NewEvent to_new_event(const ProjectionRemoval& removal);        // ProjectionRemoved

// Decodes an event of $definitions. Fails with kFailedPrecondition for an unknown type of projection event,
// which a newer program has written, and with kCorruption for damaged data.
Result<ProjectionEvent> read_projection_event(const EventView& stored);

}  // namespace cairn
