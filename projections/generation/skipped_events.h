#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "projections/readmodel/read_model.h"

namespace cairn {

// The events of one projection that somebody has decided to leave out, each where it had been parked.
class SkippedEvents {
 public:
  void add(GlobalPosition position, ParkedPlace place) { events_[position].push_back(std::move(place)); }

  bool empty() const { return events_.empty(); }
  bool contains(GlobalPosition position, ParkedPlace::By by, std::string_view name) const {
    const auto found = events_.find(position);
    if (found == events_.end()) return false;
    for (const ParkedPlace& place : found->second) {
      if (place.by == by && place.name == name) return true;
    }
    return false;
  }

 private:
  std::map<GlobalPosition, std::vector<ParkedPlace>> events_;
};

}  // namespace cairn
