#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/base/clock.h"
#include "eventstore/base/result.h"
#include "eventstore/types.h"

namespace cairn {

// An aggregate that was accepted, as it stands in $definitions. docs/format.md shows the event.
struct AggregateDefinition {
  std::string category;
  std::string source;
  std::string fingerprint;             // of category and source
  std::uint32_t revision = 1;          // how many there were for the category, with this one
  std::uint64_t snapshot_every = 100;  // 0 = no snapshots by themselves
  GlobalPosition position;             // of the definition in the log
  Timestamp deployed_at;

  // How errors call it: "order.lua".
  std::string file() const { return category + ".lua"; }
};

// 32 hexadecimal digits that differ when category or source do.
std::string aggregate_fingerprint(std::string_view category, std::string_view source);

NewEvent to_new_event(const AggregateDefinition& definition);  // AggregateDeployed

// As it was read from $definitions; nullopt for another kind of definition. Fails with kFailedPrecondition
// for an event about aggregates that this program does not know, which a newer one has written, and with
// kCorruption for data that cannot be what was written.
Result<std::optional<AggregateDefinition>> read_aggregate_event(const EventView& stored);

}  // namespace cairn
