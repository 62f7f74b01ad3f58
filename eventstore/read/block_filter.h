#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/format/block_reader.h"
#include "eventstore/queries.h"
#include "eventstore/read/event_match.h"

namespace cairn {

// Tells which events of a block match a filter: first by the names of streams and types alone, then, if the
// filter asks for tags or a correlation id, by the event. Not thread-safe.
class BlockFilter {
 public:
  // REQUIRES: `filter` outlives it.
  explicit BlockFilter(const EventFilter& filter)
      : filter_(filter),
        looks_at_names_(!filter.categories.empty() || !filter.types.empty() || !filter.system),
        looks_at_events_(filter.looks_at_events()),
        categories_(filter.categories.begin(), filter.categories.end()),
        types_(filter.types.begin(), filter.types.end()) {}

  // Prepares for the events of `block`; false when none of them matches.
  // REQUIRES: the block is open with kWholeBlock, so that its names can be trusted.
  bool prepare(const BlockReader& block);

  // Whether the event matches by its names. REQUIRES: prepare() was called with this block.
  Result<bool> matches(const BlockReader& block, GlobalPosition position) const {
    if (!looks_at_names_) return true;
    CAIRN_TRY(const auto names, block.names_of(position));
    return wanted_types_[names.type] && wanted_streams_[names.stream];
  }

  // Whether the event matches by its tags and metadata.
  bool matches(const EventView& event) { return !looks_at_events_ || selects(filter_, event, scratch_); }

 private:
  const EventFilter& filter_;
  const bool looks_at_names_;
  const bool looks_at_events_;
  std::unordered_set<std::string_view> categories_;
  std::unordered_set<std::string_view> types_;
  std::vector<bool> wanted_streams_;  // of the block, in its order
  std::vector<bool> wanted_types_;
  std::string scratch_;
};

}  // namespace cairn
