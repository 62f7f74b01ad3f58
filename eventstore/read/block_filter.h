#pragma once

#include <string_view>
#include <unordered_set>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/event_store.h"
#include "eventstore/format/block_reader.h"

namespace cairn {

// Tells which events of a block a filter lets through, by their names alone. Belongs to one thread.
class BlockFilter {
 public:
  // REQUIRES: `filter` outlives it.
  explicit BlockFilter(const EventFilter& filter)
      : categories_(filter.categories.begin(), filter.categories.end()),
        types_(filter.types.begin(), filter.types.end()) {}

  // Turns to another block; false when none of its events comes through.
  // REQUIRES: the block is open with kWholeBlock, so that its names can be trusted.
  bool turn_to(const BlockReader& block);

  // REQUIRES: turn_to() was called with this block.
  Result<bool> lets_through(const BlockReader& block, GlobalPosition position) const {
    if (categories_.empty() && types_.empty()) return true;
    CAIRN_TRY(const auto names, block.names_of(position));
    return wanted_types_[names.type] && wanted_streams_[names.stream];
  }

 private:
  std::unordered_set<std::string_view> categories_;
  std::unordered_set<std::string_view> types_;
  std::vector<bool> wanted_streams_;  // of the block, in the order it has them
  std::vector<bool> wanted_types_;
};

}  // namespace cairn
