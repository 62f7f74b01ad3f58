#include "projections/runner/status_facts.h"

#include <algorithm>

namespace cairn {

double seconds_between(Timestamp from, Timestamp to) {
  return std::max(0.0, static_cast<double>(to.micros - from.micros) / 1e6);
}

double age_of(EventStore& store, GlobalPosition position, Timestamp now) {
  double age = 0;
  const auto visit = [&](const EventView& event) {
    age = seconds_between(event.recorded_at, now);
    return false;
  };
  const auto scanned = store.scan({.from = position, .to = position}, visit);
  return scanned ? age : 0;
}

ParkedCount count_parked(ReadModel& model) {
  constexpr std::size_t kPage = 1'000;
  ParkedCount count;
  std::optional<ParkedPlace> after;
  while (true) {
    const auto entries = model.parked(after, kPage);
    if (!entries) return count;
    for (const ParkedEntry& entry : *entries) {
      ++count.keys;
      count.events += entry.waiting;
      if (!count.oldest || entry.event.parked_at < *count.oldest) count.oldest = entry.event.parked_at;
      after = entry.place;
    }
    if (entries->size() < kPage) return count;
  }
}

}  // namespace cairn
