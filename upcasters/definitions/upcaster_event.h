#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "eventstore/base/result.h"
#include "eventstore/types.h"
#include "upcasters/model/upcaster.h"

namespace cairn {

// Events of the stream kDefinitionStream, as docs/format.md shows them.

// The upcaster was deployed, and is active from here on. It had been verified on all events up to
// `verified_through`; none of those between that and the position of this event passes through it.
struct UpcasterInstalled {
  Upcaster upcaster;  // position and installed_at are the stored event's
  GlobalPosition verified_through;
  std::uint64_t checked = 0;
};

// The upcaster failed on an event that was appended during its deployment, and the one before it, if any, is
// active again. Written by version 0.1 only, which then deleted the version registered with the upcaster.
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

// Decodes an event of the stream. Fails with kFailedPrecondition for an unknown type of upcaster event, which
// a newer program has written, and with kCorruption for invalid data.
Result<UpcasterEvent> read_upcaster_event(const EventView& stored);

}  // namespace cairn
