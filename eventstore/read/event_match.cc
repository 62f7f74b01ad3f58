#include "eventstore/read/event_match.h"

#include <algorithm>

#include "eventstore/index/event_terms.h"

namespace cairn {

bool selects(const EventFilter& filter, const EventView& event, std::string& scratch) {
  const auto any = [](const std::vector<std::string>& names, std::string_view name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto has = [&event](const std::string& tag) {
    return std::find(event.tags.begin(), event.tags.end(), tag) != event.tags.end();
  };
  return (filter.system || !is_system_stream(event.stream)) && any(filter.types, event.type) &&
         any(filter.categories, category_of(event.stream)) &&
         std::all_of(filter.tags.begin(), filter.tags.end(), has) &&
         (filter.correlation.empty() || correlation_of(event.metadata, scratch) == filter.correlation);
}

}  // namespace cairn
