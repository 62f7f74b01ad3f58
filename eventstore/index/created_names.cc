#include "eventstore/index/created_names.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace cairn {

void CreatedNames::add(std::span<const std::string_view> names) {
  if (names.empty()) return;
  std::lock_guard lock(noted_mutex_);
  noted_.insert(noted_.end(), names.begin(), names.end());
}

void CreatedNames::bring_into_order() const {
  std::deque<std::string_view> fresh;
  {
    std::lock_guard lock(noted_mutex_);
    fresh.swap(noted_);
  }
  if (fresh.empty()) return;
  Names noted(fresh.begin(), fresh.end());
  std::sort(noted.begin(), noted.end());
  // Every name is merged only as often as its run doubles, however often somebody lists streams.
  while (!runs_.empty() && runs_.back().size() <= 2 * noted.size()) {
    Names merged;
    merged.reserve(runs_.back().size() + noted.size());
    std::merge(runs_.back().begin(), runs_.back().end(), noted.begin(), noted.end(),
               std::back_inserter(merged));
    noted = std::move(merged);
    runs_.pop_back();
  }
  runs_.push_back(std::move(noted));
}

void CreatedNames::list(std::string_view prefix, std::string_view from, std::size_t limit,
                        std::vector<std::string>& out) const {
  std::lock_guard lock(runs_mutex_);
  bring_into_order();
  for (const Names& run : runs_) {
    auto at = std::lower_bound(run.begin(), run.end(), std::max(prefix, from));
    for (std::size_t left = limit; left > 0 && at != run.end() && at->starts_with(prefix); ++at, --left)
      out.emplace_back(*at);
  }
}

}  // namespace cairn
