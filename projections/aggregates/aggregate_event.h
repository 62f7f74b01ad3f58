#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/base/clock.h"
#include "eventstore/base/result.h"
#include "eventstore/types.h"

namespace cairn {

// A deployed aggregate, as stored in $definitions. docs/format.md describes the event.
struct AggregateDefinition {
  std::string category;
  std::string source;
  std::string fingerprint;             // of category and source
  std::uint32_t revision = 1;          // counts the definitions of the category, from 1
  std::uint64_t snapshot_every = 100;  // 0 = no automatic snapshots
  GlobalPosition position;             // of the definition in the log
  Timestamp deployed_at;

  // The file name in error messages: "order.lua".
  std::string file() const { return category + ".lua"; }
};

// 32 hexadecimal digits: a hash of category and source.
std::string aggregate_fingerprint(std::string_view category, std::string_view source);

NewEvent to_new_event(const AggregateDefinition& definition);  // AggregateDeployed

// Decodes an event of $definitions; nullopt for another kind of definition. Fails with kFailedPrecondition
// for an unknown type of aggregate event, which a newer program has written, and with kCorruption for damaged
// data.
Result<std::optional<AggregateDefinition>> read_aggregate_event(const EventView& stored);

}  // namespace cairn
