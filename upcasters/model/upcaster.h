#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/clock.h"
#include "eventstore/types.h"

namespace cairn {

// The header in a script: it brings events of `type` from one version of their schema to a later one.
struct UpcasterHeader {
  std::string type;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::vector<std::string> produces;  // further types of events that it declares to produce
};

// A deployed upcaster. Immutable.
struct Upcaster {
  UpcasterHeader header;
  std::string source;
  std::string fingerprint;     // of header and source
  std::uint32_t revision = 1;  // 1 for the first upcaster of this step
  // The schemas of the two versions when it was deployed: a deleted subject gives its version numbers again.
  SchemaId from_schema;
  SchemaId to_schema;
  // The number of changes of the registry when it was deployed. Events of other types that it produces have
  // the version that was the newest then, the only one that the author of the script could know.
  std::uint64_t registry_changes = 0;
  bool with_schema = false;  // its target version was registered with it
  GlobalPosition position;   // of its definition in the log
  Timestamp installed_at;

  // Its name in errors: "OrderPlaced/1-2.lua".
  std::string file() const;
};

std::string upcaster_file(const UpcasterHeader& header);

// 32 hexadecimal digits of a hash of type, versions and source.
std::string fingerprint_of(const UpcasterHeader& header, std::string_view source);

}  // namespace cairn
