#include "eventstore/read/event_match.h"

#include <algorithm>

#include "eventstore/index/event_terms.h"

namespace cairn {

bool selects_type(const EventFilter& filter, std::string_view type) {
  return filter.types.empty() ||
         std::find(filter.types.begin(), filter.types.end(), type) != filter.types.end();
}

bool selects_beside_type(const EventFilter& filter, const EventView& event, std::string& scratch) {
  const std::vector<std::string>& categories = filter.categories;
  const auto has = [&event](const std::string& tag) {
    return std::find(event.tags.begin(), event.tags.end(), tag) != event.tags.end();
  };
  return (filter.system || !is_system_stream(event.stream)) &&
         (categories.empty() ||
          std::find(categories.begin(), categories.end(), category_of(event.stream)) != categories.end()) &&
         std::all_of(filter.tags.begin(), filter.tags.end(), has) &&
         (filter.correlation.empty() || correlation_of(event.metadata, scratch) == filter.correlation);
}

bool selects(const EventFilter& filter, const EventView& event, std::string& scratch) {
  return selects_type(filter, event.type) && selects_beside_type(filter, event, scratch);
}

}  // namespace cairn
