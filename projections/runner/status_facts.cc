#include "projections/runner/status_facts.h"

namespace cairn {

ReadModelFacts facts_of(ReadModel& model, GlobalPosition position) {
  ReadModelFacts facts;
  facts.generation = model.identity().generation;
  facts.position = position;
  if (const auto size = model.size()) {
    facts.rows = size->rows;
    facts.events_passed_over = size->passed_over;
    facts.bytes = size->bytes;
  }
  return facts;
}

void add_parked(ReadModelFacts& facts, ReadModel& model) {
  constexpr std::size_t kPage = 1'000;
  std::optional<ParkedPlace> after;
  while (true) {
    const auto entries = model.parked(after, kPage);
    if (!entries) return;
    for (const ParkedEntry& entry : *entries) {
      ++facts.parked_keys;
      facts.parked_events += entry.waiting;
      const Timestamp at = entry.event.parked_at;
      if (!facts.oldest_parked || at < *facts.oldest_parked) facts.oldest_parked = at;
      after = entry.place;
    }
    if (entries->size() < kPage) return;
  }
}

std::optional<Timestamp> appended_at(LogReader& log, GlobalPosition position) {
  std::optional<Timestamp> found;
  const auto visit = [&](const EventView& event) {
    found = event.recorded_at;
    return false;
  };
  const auto scanned = log.scan({.from = position, .to = position}, visit);
  return scanned ? found : std::nullopt;
}

std::string type_at(LogReader& log, GlobalPosition position) {
  std::string type;
  const auto visit = [&](const EventView& event) {
    type = event.type;
    return false;
  };
  [[maybe_unused]] const auto scanned = log.scan({.from = position, .to = position}, visit);
  return type;
}

}  // namespace cairn
