#include "upcasters/model/unreadable.h"

#include <fmt/format.h>

#include <string>

namespace cairn {

ShapeFault unreadable(const EventView& stored, const ShapedEvent& part, const Error& error) {
  ShapeFault fault;
  const bool as_written = part.schema != nullptr && part.schema->id == stored.schema;
  fault.kind = as_written ? ShapeFault::Kind::kCorruption : ShapeFault::Kind::kNoWay;
  fault.message = as_written
                      ? "the data is not what its schema says: " + error.message
                      : fmt::format("version {} of {} cannot read the data, and no upcaster leads there: {}",
                                    part.schema_version, part.type, error.message);
  // Without the offset, which differs from event to event.
  fault.group = fault.message.substr(0, fault.message.rfind(", at byte "));
  fault.position = stored.position;
  fault.stream = stored.stream;
  fault.version = stored.version;
  return fault;
}

}  // namespace cairn
