#include "upcasters/model/unreadable.h"

#include <string>

namespace cairn {

ShapeFault unreadable(const EventView& stored, const ShapedEvent& part, const Error& error) {
  ShapeFault fault;
  const bool as_written = part.schema != nullptr && part.schema->id == stored.schema;
  fault.kind = as_written ? ShapeFault::Kind::kCorruption : ShapeFault::Kind::kNoWay;
  fault.message = as_written
                      ? "the data is not what its schema says: " + error.message
                      : "version " + std::to_string(part.schema_version) + " of " + std::string(part.type) +
                            " cannot read the data, and no upcaster leads there: " + error.message;
  // Without the place in the bytes, which is another one for each event.
  fault.group = fault.message.substr(0, fault.message.rfind(", at byte "));
  fault.position = stored.position;
  fault.stream = stored.stream;
  fault.version = stored.version;
  return fault;
}

}  // namespace cairn
