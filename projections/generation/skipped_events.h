#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "projections/readmodel/read_model.h"

namespace cairn {

// The events of one projection that an operator has decided to leave out, each at the key or stream where it
// was parked. Immutable once shared.
class SkippedEvents {
 public:
  void add(GlobalPosition position, ParkedPlace place) { events_[position].push_back(std::move(place)); }

  const std::map<GlobalPosition, std::vector<ParkedPlace>>& events() const { return events_; }
  bool empty() const { return events_.empty(); }
  bool contains(GlobalPosition position, ParkedPlace::By by, std::string_view name) const {
    const auto found = events_.find(position);
    if (found == events_.end()) return false;
    for (const ParkedPlace& place : found->second) {
      if (place.by == by && place.name == name) return true;
    }
    return false;
  }

  // Whether an event is left out of all rows, because its key was not known when it was skipped.
  bool skips(const EventView& event) const {
    return !empty() && contains(event.position, ParkedPlace::By::kStream, event.stream);
  }
  // Whether it is left out of the row of this key.
  bool skips(const EventView& event, std::string_view key) const {
    return !empty() && (skips(event) || contains(event.position, ParkedPlace::By::kKey, key));
  }

 private:
  std::map<GlobalPosition, std::vector<ParkedPlace>> events_;
};

}  // namespace cairn
