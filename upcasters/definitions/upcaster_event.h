#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "eventstore/base/result.h"
#include "eventstore/types.h"
#include "upcasters/model/upcaster.h"

namespace cairn {

// The stream that holds what users define: upcasters, and later more. docs/format.md shows the events.
inline constexpr std::string_view kDefinitionStream = "$definitions";

// The upcaster was accepted. It had been tried on all events up to `verified_through`; those between that and
// the definition's own position were tried behind it, before anybody was given its results.
struct UpcasterInstalled {
  Upcaster upcaster;  // position and installed_at are the stored event's
  GlobalPosition verified_through;
  std::uint64_t checked = 0;
  bool with_schema = false;  // the version it leads to was registered with it
};

// It failed on an event that came in while it was being accepted. The one before it, if any, holds again.
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

// As it was read from the stream. Fails with kFailedPrecondition for an event about upcasters that this
// program does not know, which a newer one has written, and with kCorruption for data that cannot be what was
// written.
Result<UpcasterEvent> read_upcaster_event(const EventView& stored);

}  // namespace cairn
