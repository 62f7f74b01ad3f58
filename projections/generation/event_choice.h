#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eventstore/event_store.h"
#include "projections/projection.h"
#include "upcasters/event_shapes.h"

namespace cairn {

// Which events of a batch a projection applies: a batch is read for several projections. Not thread-safe.
class EventChoice {
 public:
  explicit EventChoice(ProjectionSource from) : from_(std::move(from)) {}

  // Follows changes of upcasters, which may turn events of other types into wanted ones.
  void refresh(EventShapes& shapes) {
    const std::uint64_t now = shapes.chains().changes();
    if (now == seen_changes_ && !filter_.types.empty()) return;
    seen_changes_ = now;
    filter_ = {from_.categories, shapes.stored_types(from_.types, Shape::latest())};
  }

  // Which stored events to read. REQUIRES: refresh() was called.
  const EventFilter& filter() const { return filter_; }

  bool wants_stream(std::string_view stream) const {
    if (from_.categories.empty()) return !is_system_stream(stream);
    return is_one_of(category_of(stream), from_.categories);
  }
  bool wants_stored(const EventView& event) const {
    return is_one_of(event.type, filter_.types) && wants_stream(event.stream);
  }
  bool wants_type(std::string_view type) const { return is_one_of(type, from_.types); }

 private:
  static bool is_one_of(std::string_view name, const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  const ProjectionSource from_;
  EventFilter filter_;
  std::uint64_t seen_changes_ = 0;
};

}  // namespace cairn
