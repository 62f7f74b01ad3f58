#include "eventstore/format/stored_event.h"

#include <array>

#include "eventstore/base/checksum.h"

namespace cairn {

std::uint64_t event_checksum(const StoredEvent& stored) {
  const EventView& event = stored.event;
  const std::array<std::uint64_t, 12> numbers{event.position.value,
                                              event.version.value,
                                              stored.previous,
                                              stored.jump,
                                              event.id.high(),
                                              event.id.low(),
                                              event.schema.value,
                                              stored.store_made_id ? 1u : 0u,
                                              static_cast<std::uint64_t>(event.recorded_at.micros),
                                              event.stream.size(),
                                              event.type.size(),
                                              event.data.size()};
  std::uint64_t sum = checksum64(numbers.data(), sizeof numbers);
  sum = checksum64(event.stream, sum);
  sum = checksum64(event.type, sum);
  sum = checksum64(event.data, sum);
  sum = checksum64(event.metadata, sum);
  for (const std::string_view tag : event.tags) sum = checksum64(tag, sum);
  return sum;
}

}  // namespace cairn
