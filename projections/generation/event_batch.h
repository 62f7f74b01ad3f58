#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "eventstore/event_page.h"
#include "eventstore/log_reader.h"
#include "projections/generation/byte_arena.h"
#include "upcasters/model/shape_fault.h"
#include "upcasters/shaping/shaper_pool.h"

namespace cairn {

struct BatchQuery {
  GlobalPosition after;     // begins after this position
  GlobalPosition to;        // ends here, at the head, when bytes_max is reached, or when upcasters take long
  EventFilter filter = {};  // of the events as they were stored
  std::size_t bytes_max = 8u << 20;
};

// A range of the log in memory, its events brought to the newest schema versions. Read once and shared by all
// projections at its start. Immutable; thread-safe.
class EventBatch {
 public:
  struct Event {
    const EventView& stored;
    std::uint32_t first_part = 0;
    std::uint32_t part_count = 0;
    const ShapeFault* fault = nullptr;  // why there are no parts
  };

  // Copies the events inside the store's read transaction and shapes them after it, so that the transaction
  // stays short. Fails as LogReader::scan() does.
  static Result<std::shared_ptr<const EventBatch>> read(LogReader& log, ShaperPool& shapers,
                                                        const BatchQuery& query);

  GlobalPosition after() const { return after_; }
  GlobalPosition to() const { return to_; }  // the filter was applied to all events up to here
  const EventFilter& filter() const { return filter_; }
  const std::vector<Event>& events() const { return events_; }
  std::span<const ShapedEvent> parts(const Event& event) const {
    return std::span(parts_).subspan(event.first_part, event.part_count);
  }

 private:
  explicit EventBatch(ShaperPool::Lease shaper) : shaper_(std::move(shaper)) {}
  void shape();

  ShaperPool::Lease shaper_;  // owns the plans of the parts
  GlobalPosition after_;
  GlobalPosition to_;
  EventFilter filter_;
  EventPage page_;
  std::vector<Event> events_;
  ByteArena made_;  // data that upcasters and schema resolution have made
  std::vector<ShapedEvent> parts_;
  std::vector<std::unique_ptr<ShapeFault>> faults_;
};

}  // namespace cairn
