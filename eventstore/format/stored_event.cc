#include "eventstore/format/stored_event.h"

#include <array>

#include "eventstore/base/checksum.h"

namespace cairn {

std::uint64_t event_checksum(const StoredEvent& stored, LogFormat format) {
  const EventView& event = stored.event;
  // The first twelve are those of format 1.
  const std::array<std::uint64_t, 15> numbers{
      event.position.value,  event.version.value, stored.previous,
      stored.jump,           event.id.high(),     event.id.low(),
      event.schema.value,    stored.flags(),      static_cast<std::uint64_t>(event.recorded_at.micros),
      event.stream.size(),   event.type.size(),   event.data.size(),
      event.metadata.size(), event.tags.size(),   stored.parts.size()};
  constexpr std::size_t kNumbersOfFormat1 = 12;
  const std::size_t count = format == LogFormat::k1 ? kNumbersOfFormat1 : numbers.size();
  std::uint64_t sum = checksum64(numbers.data(), count * sizeof(std::uint64_t));
  sum = checksum64(event.stream, sum);
  sum = checksum64(event.type, sum);
  sum = checksum64(event.data, sum);
  sum = checksum64(event.metadata, sum);
  for (const std::string_view tag : event.tags) sum = checksum64(tag, sum);
  for (const EventPart& part : stored.parts) {
    const std::array<std::uint64_t, 2> begin{part.kind, part.bytes.size()};
    sum = checksum64(begin.data(), sizeof begin, sum);
    sum = checksum64(part.bytes, sum);
  }
  return sum;
}

}  // namespace cairn
