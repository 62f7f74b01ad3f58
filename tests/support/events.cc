#include "tests/support/events.h"

#include <ostream>
#include <utility>

namespace cairn::test {

std::ostream& operator<<(std::ostream& out, const Event& event) {
  out << '#' << event.position << ' ' << event.stream << '@' << event.version << ' ' << event.type << " id "
      << event.id.to_string() << " schema " << event.schema << " at " << event.recorded_at << " data ("
      << event.data.size() << ") " << event.data.substr(0, 40) << " metadata " << event.metadata.substr(0, 40)
      << " tags [";
  for (const std::string& tag : event.tags) out << tag << ' ';
  return out << ']';
}

Event owned(const EventView& view) {
  Event event;
  event.position = view.position.value;
  event.version = view.version.value;
  event.stream = view.stream;
  event.type = view.type;
  event.id = view.id;
  event.schema = view.schema.value;
  event.recorded_at = view.recorded_at.micros;
  event.data = view.data;
  event.metadata = view.metadata;
  event.tags.assign(view.tags.begin(), view.tags.end());
  event.content_type = view.content_type;
  return event;
}

Uuid id(std::uint64_t n) { return Uuid::from_halves(0x0191'0000'0000'7000ull, 0x8000'0000'0000'0000ull | n); }

NewEvent event(std::string type, std::string data) {
  NewEvent made;
  made.type = std::move(type);
  made.data = std::move(data);
  return made;
}

NewEvent event(Uuid id, std::string type, std::string data) {
  NewEvent made = event(std::move(type), std::move(data));
  made.id = id;
  return made;
}

NewEvent sized_event(std::size_t data_bytes) { return event("Sized", std::string(data_bytes, 'x')); }

StreamAppend to(std::string stream, ExpectedVersion expected, std::vector<NewEvent> events) {
  return StreamAppend{std::move(stream), expected, std::move(events)};
}

StreamAppend check(std::string stream, ExpectedVersion expected) {
  return to(std::move(stream), expected, {});
}

AppendRequest request(std::vector<StreamAppend> streams) {
  AppendRequest made;
  made.streams = std::move(streams);
  return made;
}

}  // namespace cairn::test

namespace cairn {

std::ostream& operator<<(std::ostream& out, GlobalPosition position) {
  return out << "position " << position.value;
}
std::ostream& operator<<(std::ostream& out, StreamVersion version) {
  return out << "version " << version.value;
}
std::ostream& operator<<(std::ostream& out, const Uuid& id) { return out << id.to_string(); }

}  // namespace cairn
