#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "eventstore/event_store.h"
#include "upcasters/model/shape.h"
#include "upcasters/model/shape_fault.h"
#include "upcasters/model/shaped_event.h"
#include "upcasters/shaping/shaper_pool.h"

namespace cairn {

// Reads many events in a shape: log -> decode -> upcast -> consumer.

struct ReplayQuery {
  GlobalPosition from{1};
  std::optional<GlobalPosition> to = {};  // nullopt = the head when the replay starts
  EventFilter filter = {};                // on the events as stored; other events are not decoded
  Shape shape = Shape::latest();
  unsigned threads = 1;

  // Positions of the log that a thread takes at a time. At most 2 * threads ranges are in progress or wait
  // for delivery, which bounds the memory.
  std::size_t range_positions = 16'384;
};

// The consumer's part for one range. Its functions are called by one thread, in the order of the log; the
// views live until the call returns. Return false to end the replay.
class ReplayRange {
 public:
  virtual ~ReplayRange() = default;

  // The parts of one stored event; empty when an upcaster dropped it. ShapedEvent::read() of a part may still
  // fail.
  virtual bool take(const EventView& stored, std::span<const ShapedEvent> parts) = 0;

  // An event could not be brought into the shape.
  virtual bool fail(const EventView& stored, const ShapeFault& fault) = 0;
};

struct ReplayConsumer {
  // Called on the thread that takes the range, with its shaper. The shaper outlives the range.
  std::function<std::unique_ptr<ReplayRange>(Shaper& shaper)> begin;

  // Called on the calling thread, in the order of the log. `through` is the last position of the range.
  // Return false to end the replay.
  std::function<bool(std::unique_ptr<ReplayRange> range, GlobalPosition through)> deliver;
};

// Replays a part of the log on `query.threads` threads and delivers the ranges in order. Returns the last
// position delivered: the end, unless the consumer ended the replay. Fails as LogReader::scan() does; ranges
// delivered before the failure stay delivered.
Result<GlobalPosition> replay(LogReader& log, ShaperPool& shapers, const ReplayQuery& query,
                              const ReplayConsumer& consumer);

}  // namespace cairn
