#include "eventstore/read/block_filter.h"

#include <algorithm>

#include "eventstore/index/event_terms.h"

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

bool BlockFilter::has_terms(const EventView& event) {
  const auto has = [&event](const std::string& tag) {
    return std::find(event.tags.begin(), event.tags.end(), tag) != event.tags.end();
  };
  return std::all_of(filter_.tags.begin(), filter_.tags.end(), has) &&
         (filter_.correlation.empty() || correlation_of(event.metadata, scratch_) == filter_.correlation);
}

}  // namespace cairn
