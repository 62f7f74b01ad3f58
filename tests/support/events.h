#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/types.h"

namespace cairn::test {

// A stored event that owns its bytes, compared and printed whole.
struct Event {
  std::uint64_t position = 0;
  std::uint64_t version = 0;
  std::string stream;
  std::string type;
  Uuid id;
  std::uint32_t schema = 0;
  std::int64_t recorded_at = 0;
  std::string data;
  std::string metadata;
  std::vector<std::string> tags;
  std::string content_type = {};

  friend bool operator==(const Event&, const Event&) = default;
};
std::ostream& operator<<(std::ostream& out, const Event& event);

Event owned(const EventView& view);

// The n-th id of a test; the same n is the same id.
Uuid id(std::uint64_t n);

NewEvent event(std::string type, std::string data = "{}");
NewEvent event(Uuid id, std::string type, std::string data = "{}");
NewEvent sized_event(std::size_t data_bytes);

StreamAppend to(std::string stream, ExpectedVersion expected, std::vector<NewEvent> events);
StreamAppend check(std::string stream, ExpectedVersion expected);
AppendRequest request(std::vector<StreamAppend> streams);

}  // namespace cairn::test

namespace cairn {
// For the messages of failed expectations.
std::ostream& operator<<(std::ostream& out, GlobalPosition position);
std::ostream& operator<<(std::ostream& out, StreamVersion version);
std::ostream& operator<<(std::ostream& out, const Uuid& id);
}  // namespace cairn
