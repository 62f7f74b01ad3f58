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

// log -> decode -> upcast -> event: everything that reads many events goes through here.

struct ReplayQuery {
  GlobalPosition from{1};
  std::optional<GlobalPosition> to = {};  // nullopt = the head when the replay starts
  EventFilter filter = {};                // of the events as they were stored; others are not decoded
  Shape shape = Shape::latest();
  unsigned threads = 1;

  // Each thread takes this many positions of the log at a time. At most twice as many ranges as there are
  // threads are under way or wait to be delivered, which bounds the memory.
  std::size_t range_positions = 16'384;
};

// What is made of the events of one range. Called by one thread, in order; the views live until the call
// returns. Return false to end the replay.
class ReplayRange {
 public:
  virtual ~ReplayRange() = default;

  // What became of one stored event; nothing, when an upcaster dropped it. It may still turn out that the
  // data cannot be read (ShapedEvent::read()).
  virtual bool take(const EventView& stored, std::span<const ShapedEvent> parts) = 0;

  // An event could not be brought into the shape.
  virtual bool fail(const EventView& stored, const ShapeFault& fault) = 0;
};

struct ReplayConsumer {
  // Called on the thread that takes the range, with its shaper, which stays with the range.
  std::function<std::unique_ptr<ReplayRange>(Shaper& shaper)> begin;

  // Called on the calling thread, in the order of the log. `through` is the last position of the range.
  // Return false to end the replay.
  std::function<bool(std::unique_ptr<ReplayRange> range, GlobalPosition through)> deliver;
};

// Replays a part of the log, on as many threads as asked for. The consumer gets the ranges in order, as if
// there were one. Returns the last position delivered: the end, unless the consumer ended it. Fails as
// EventStore::scan() does; what was delivered before counts.
Result<GlobalPosition> replay(EventStore& store, ShaperPool& shapers, const ReplayQuery& query,
                              const ReplayConsumer& consumer);

}  // namespace cairn
