#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/types.h"

namespace cairn {

// Events with their bytes: the views live as long as the page, and moving the page does not invalidate them.
// Not thread-safe.
class EventPage {
 public:
  // Copies `event` and everything it points to.
  void add(const EventView& event);
  void reverse();

  const std::vector<EventView>& events() const { return events_; }
  bool empty() const { return events_.empty(); }
  std::size_t size() const { return events_.size(); }
  const EventView& operator[](std::size_t index) const { return events_[index]; }
  auto begin() const { return events_.begin(); }
  auto end() const { return events_.end(); }

  // Bytes copied so far.
  std::size_t bytes() const { return bytes_; }

 private:
  char* allocate(std::size_t size, std::size_t alignment);
  std::string_view copy(std::string_view text);

  std::vector<EventView> events_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t chunk_size_ = 0;
  std::size_t chunk_used_ = 0;
  std::size_t bytes_ = 0;
};

struct StreamPage {
  StreamVersion version;  // the stream's version when the page was read
  EventPage events;
  std::optional<StreamVersion> next;  // pass as `from` for the next page in the same direction
};

struct LogPage {
  GlobalPosition head;  // the log's head when the page was read
  EventPage events;
  std::optional<GlobalPosition> next;  // pass as `from` for the next page in the same direction
  std::uint64_t steps = 0;             // that finding the events of a filter took
};

}  // namespace cairn
