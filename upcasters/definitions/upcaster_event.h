#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "eventstore/base/result.h"
#include "eventstore/types.h"
#include "upcasters/model/upcaster.h"

namespace cairn {

// The stream of definitions that users deploy: upcasters, aggregates, projections. docs/format.md shows the
// events.
inline constexpr std::string_view kDefinitionStream = "$definitions";

// The upcaster was deployed. It had been verified on all events up to `verified_through`; those between that
// and the position of this event are verified after it, before the upcaster becomes active.
struct UpcasterInstalled {
  Upcaster upcaster;  // position and installed_at are the stored event's
  GlobalPosition verified_through;
  std::uint64_t checked = 0;
  bool with_schema = false;  // its target version was registered with it
};

// The upcaster failed on an event that was appended during its deployment. The one before it, if any, is
// active again.
struct UpcasterWithdrawn {
  std::string type;
  std::uint32_t from = 0;
  std::string fingerprint;
  std::string reason;
};

// Another kind of definition.
struct OtherDefinition {};

using UpcasterEvent = std::variant<UpcasterInstalled, UpcasterWithdrawn, OtherDefinition>;

NewEvent to_new_event(const UpcasterInstalled& event);
NewEvent to_new_event(const UpcasterWithdrawn& event);

// Decodes an event of the stream. Fails with kFailedPrecondition for an unknown type of upcaster event, which
// a newer program has written, and with kCorruption for invalid data.
Result<UpcasterEvent> read_upcaster_event(const EventView& stored);

}  // namespace cairn
