#include "projections/generation/parked_set.h"

#include "eventstore/base/assert.h"

namespace cairn {

namespace {

constexpr std::size_t kParkedPage = 1'000;

}  // namespace

Status ParkedSet::load(ReadModel& model) {
  pending_.clear();
  released_.clear();
  keys_.clear();
  streams_.clear();
  std::optional<ParkedPlace> after;
  while (true) {
    CAIRN_TRY(const auto entries, model.parked(after, kParkedPage));
    for (const ParkedEntry& entry : entries) {
      if (entry.place.by == ParkedPlace::By::kKey) {
        keys_.insert(entry.place.name);
      } else {
        streams_.emplace(entry.place.name, entry.event.position);
      }
      after = entry.place;
    }
    if (entries.size() < kParkedPage) return {};
  }
}

std::vector<ParkedPlace> ParkedSet::places() const {
  std::vector<ParkedPlace> places;
  for (const auto& [stream, first] : streams_) places.push_back({ParkedPlace::By::kStream, stream});
  for (const std::string& key : keys_) places.push_back({ParkedPlace::By::kKey, key});
  return places;
}

bool ParkedSet::contains(const ParkedPlace& place) const {
  return place.by == ParkedPlace::By::kKey ? keys_.contains(place.name) : streams_.contains(place.name);
}

bool ParkedSet::waits_with_stream(const EventView& event) const {
  const auto parked = streams_.find(event.stream);
  return parked != streams_.end() && event.position >= parked->second;
}

void ParkedSet::park(const ParkedPlace& place, ParkedEvent event) {
  const GlobalPosition position = event.position;
  if (place.by == ParkedPlace::By::kKey) {
    keys_.insert(place.name);
  } else {
    streams_.emplace(place.name, position);
  }
  news_ = NewlyParked{place, event, (news_ ? news_->count : 0) + 1};
  pending_[place].event = std::move(event);
  add_waiting(place, position);
}

void ParkedSet::go_on_at(const ParkedPlace& place, ParkedEvent event) {
  CAIRN_ASSERT(contains(place), place.name);
  const GlobalPosition position = event.position;
  pending_[place].event = std::move(event);
  add_waiting(place, position);
}

void ParkedSet::add_waiting(const ParkedPlace& place, GlobalPosition position) {
  auto& waiting = pending_[place].waiting;
  if (waiting.empty() || waiting.back() < position) waiting.push_back(position);
}

void ParkedSet::release(const ParkedPlace& place) {
  released_.insert(place);
  if (place.by == ParkedPlace::By::kKey) {
    keys_.erase(place.name);
  } else {
    streams_.erase(place.name);
  }
}

ParkedSet::Pending* ParkedSet::pending(const ParkedPlace& place) {
  const auto found = pending_.find(place);
  return found == pending_.end() ? nullptr : &found->second;
}

std::vector<GlobalPosition> ParkedSet::parked_since_commit() const {
  std::vector<GlobalPosition> positions;
  for (const auto& [place, pending] : pending_) {
    if (pending.event) positions.push_back(pending.event->position);
  }
  return positions;
}

void ParkedSet::add_to(ReadModelChange& change) const {
  for (const ParkedPlace& place : released_) change.released.push_back(&place);
  for (const auto& [place, pending] : pending_) {
    if (pending.event) change.parked.emplace_back(&place, &*pending.event);
    for (const GlobalPosition position : pending.waiting) change.waiting.push_back({&place, position});
  }
}

void ParkedSet::committed() {
  pending_.clear();
  released_.clear();
}

}  // namespace cairn
