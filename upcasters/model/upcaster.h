#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/clock.h"
#include "eventstore/types.h"

namespace cairn {

// What a script says of itself: it brings events of `type` from one version of their schema to a later one.
struct UpcasterHeader {
  std::string type;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::vector<std::string> produces;  // further types it may turn events into, as far as it says so
};

// An upcaster that was accepted. Never changes.
struct Upcaster {
  UpcasterHeader header;
  std::string source;
  std::string fingerprint;     // stands for all of the above
  std::uint32_t revision = 1;  // how many there were for this step, with this one
  SchemaId from_schema;  // what the two versions were; a subject that is deleted gives its numbers again
  SchemaId to_schema;
  // The registry's change before which the upcaster was made. Events of other types that it makes are of the
  // version that was newest then: whoever wrote the script could know no other.
  std::uint64_t registry_changes = 0;
  GlobalPosition position;  // of its definition in the log
  Timestamp installed_at;

  // How errors call it: "OrderPlaced/1-2.lua".
  std::string file() const;
};

std::string upcaster_file(const UpcasterHeader& header);

// 32 hexadecimal digits that differ when type, versions or source do.
std::string fingerprint_of(const UpcasterHeader& header, std::string_view source);

}  // namespace cairn
