#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace cairn
