#include "eventstore/read/block_filter.h"

namespace cairn {

bool BlockFilter::prepare(const BlockReader& block) {
  if (!looks_at_names_) return true;
  bool any_type = false;
  wanted_types_.clear();
  for (const std::string_view type : block.types()) {
    wanted_types_.push_back(types_.empty() || types_.contains(type));
    any_type = any_type || wanted_types_.back();
  }
  if (!any_type) return false;
  bool any_stream = false;
  wanted_streams_.clear();
  for (const std::string_view stream : block.streams()) {
    wanted_streams_.push_back((categories_.empty() || categories_.contains(category_of(stream))) &&
                              (filter_.system || !is_system_stream(stream)));
    any_stream = any_stream || wanted_streams_.back();
  }
  return any_stream;
}

}  // namespace cairn
