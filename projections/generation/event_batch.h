#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "eventstore/event_page.h"
#include "eventstore/event_store.h"
#include "projections/generation/byte_arena.h"
#include "upcasters/model/shape_fault.h"
#include "upcasters/shaping/shaper_pool.h"

namespace cairn {

struct BatchQuery {
  GlobalPosition after;     // begins behind it
  GlobalPosition to;        // ends there, at the head, or where it has become large enough
  EventFilter filter = {};  // of the events as they were stored
  std::size_t bytes_max = 8u << 20;
};

// A stretch of the log in memory: its events in their newest shape. Read once, and given to all who stand at
// its beginning. Never changes. Any thread.
class EventBatch {
 public:
  struct Event {
    const EventView& stored;
    std::uint32_t first_part = 0;
    std::uint32_t part_count = 0;
    const ShapeFault* fault = nullptr;  // why there are no parts
  };

  // Nothing slow happens inside the store's read transaction: events are copied there, and brought into
  // shape behind it. Fails as EventStore::scan() does.
  static Result<std::shared_ptr<const EventBatch>> read(EventStore& store, ShaperPool& shapers,
                                                        const BatchQuery& query);

  GlobalPosition after() const { return after_; }
  GlobalPosition to() const { return to_; }  // all up to here has been looked at
  const EventFilter& filter() const { return filter_; }
  const std::vector<Event>& events() const { return events_; }
  std::span<const ShapedEvent> parts(const Event& event) const {
    return std::span(parts_).subspan(event.first_part, event.part_count);
  }

 private:
  explicit EventBatch(ShaperPool::Loan shaper) : shaper_(std::move(shaper)) {}
  void shape();

  ShaperPool::Loan shaper_;  // keeps the plans of the parts
  GlobalPosition after_;
  GlobalPosition to_;
  EventFilter filter_;
  EventPage page_;
  std::vector<Event> events_;
  ByteArena made_;  // data that steps on the way to the newest shape have made
  std::vector<ShapedEvent> parts_;
  std::vector<std::unique_ptr<ShapeFault>> faults_;
};

}  // namespace cairn
