#include "api/projections/parked_event.h"

#include <string>

#include "eventstore/event_store.h"
#include "upcasters/event_shapes.h"
#include "upcasters/model/shaped_json.h"

namespace cairn::api {

namespace {

constexpr std::uint64_t kStepsPerRead = 200;
constexpr std::size_t kBytesPerReadStep = 64;

}  // namespace

EventAsJson parked_event_json(const StoreSlot& slot, std::size_t data_bytes_max, WorkBudget& budget) {
  return [&slot, data_bytes_max, &budget](GlobalPosition position) -> std::string {
    if (!budget.charge(kStepsPerRead)) return "null";
    const auto page = slot.store()->read_log({.from = position, .limit = 1, .filter = {}, .until = position});
    if (!page || page->events.empty()) return "null";
    const EventView& stored = page->events[0];
    if (!budget.charge(stored.data.size() / kBytesPerReadStep)) return "null";
    const auto shaper = slot.shapes()->shapers().lease();
    for (const Shape shape : {Shape::latest(), Shape::stored()}) {
      if (shaper->shape(stored, shape) && shaper->parts().size() == 1) {
        return reported_event_json(stored, shaper->parts()[0], data_bytes_max);
      }
    }
    return "null";
  };
}

}  // namespace cairn::api
