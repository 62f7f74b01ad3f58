#include "projections/generation/event_batch.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace cairn {

namespace {

// A batch ends when its upcasters have taken so long: commands and a stop wait for a batch that is being read.
constexpr std::chrono::milliseconds kShapingTimeMax{1'000};
constexpr std::size_t kEventsBetweenClocks = 16;

}  // namespace

Result<std::shared_ptr<const EventBatch>> EventBatch::read(LogReader& log, ShaperPool& shapers,
                                                           const BatchQuery& query) {
  std::shared_ptr<EventBatch> batch(new EventBatch(shapers.lease()));
  batch->after_ = query.after;
  batch->to_ = std::min(query.to, log.head());
  batch->filter_ = query.filter;
  if (batch->to_ <= query.after) {
    batch->to_ = query.after;
    return std::shared_ptr<const EventBatch>(std::move(batch));
  }
  bool full = false;
  const auto visit = [&](const EventView& event) {
    batch->page_.add(event);
    full = batch->page_.bytes() >= query.bytes_max;
    return !full;
  };
  const ScanQuery range{.from = {query.after.value + 1}, .to = batch->to_, .filter = query.filter};
  CAIRN_TRY(const GlobalPosition last, log.scan(range, visit));
  if (full) batch->to_ = last;
  batch->shape();
  return std::shared_ptr<const EventBatch>(std::move(batch));
}

void EventBatch::shape() {
  events_.reserve(page_.size());
  parts_.reserve(page_.size());
  const auto end = std::chrono::steady_clock::now() + kShapingTimeMax;
  for (const EventView& stored : page_) {
    if (events_.size() % kEventsBetweenClocks == kEventsBetweenClocks - 1 &&
        std::chrono::steady_clock::now() > end) {
      to_ = events_.back().stored.position;
      return;
    }
    Event& event = events_.emplace_back(Event{stored, static_cast<std::uint32_t>(parts_.size())});
    if (auto shaped = shaper_->shape(event.stored, Shape::latest()); !shaped) {
      faults_.push_back(std::make_unique<ShapeFault>(std::move(shaped).error()));
      event.fault = faults_.back().get();
      continue;
    }
    for (ShapedEvent part : shaper_->parts()) {
      // Data that a step has made lives in the shaper until the next event.
      if (part.data.data() != event.stored.data.data()) part.data = made_.copy(part.data);
      parts_.push_back(part);
    }
    event.part_count = static_cast<std::uint32_t>(parts_.size()) - event.first_part;
  }
}

}  // namespace cairn
