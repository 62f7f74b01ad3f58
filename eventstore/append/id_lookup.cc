#include "eventstore/append/id_lookup.h"

#include "eventstore/index/server_id.h"

namespace cairn {

Result<std::optional<GlobalPosition>> IdLookup::find(const Uuid& id, std::uint32_t first_day,
                                                     GlobalPosition end, EventSource& events) const {
  if (const auto place = tail_.find_id(id)) {
    return place->day >= first_day ? std::optional(place->position) : std::nullopt;
  }
  if (const auto position = server_id::position_of(id_key_, id);
      position && position->value > 0 && *position < end) {
    CAIRN_TRY(const StoredEvent stored, events.at(*position));
    if (stored.event.id == id) return position;
  }
  CAIRN_TRY(const auto candidates, index_.find_id(IdRuns::hash(id, seed_), first_day));
  std::optional<GlobalPosition> found;
  for (const GlobalPosition position : candidates) {
    CAIRN_TRY(const StoredEvent stored, events.at(position));
    // An id may be in the log twice, when it was appended again after its day was dropped; the newer one
    // counts.
    if (stored.event.id == id && (!found || position > *found)) found = position;
  }
  return found;
}

}  // namespace cairn
