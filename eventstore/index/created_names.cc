#include "eventstore/index/created_names.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace cairn {

void CreatedNames::add(std::span<const std::string_view> names) {
  if (names.empty()) return;
  const MutexLock lock(unsorted_mutex_);
  unsorted_.insert(unsorted_.end(), names.begin(), names.end());
}

void CreatedNames::sort_into_runs() const {
  std::deque<std::string_view> added;
  {
    const MutexLock lock(unsorted_mutex_);
    added.swap(unsorted_);
  }
  if (added.empty()) return;
  Names run(added.begin(), added.end());
  std::sort(run.begin(), run.end());
  // Each merge at least increases a run by half, so a name is merged O(log n) times, however often list() is
  // called.
  while (!runs_.empty() && runs_.back().size() <= 2 * run.size()) {
    Names merged;
    merged.reserve(runs_.back().size() + run.size());
    std::merge(runs_.back().begin(), runs_.back().end(), run.begin(), run.end(), std::back_inserter(merged));
    run = std::move(merged);
    runs_.pop_back();
  }
  runs_.push_back(std::move(run));
}

void CreatedNames::list(std::string_view prefix, std::string_view from, std::size_t limit,
                        std::vector<std::string>& out) const {
  const MutexLock lock(runs_mutex_);
  sort_into_runs();
  for (const Names& run : runs_) {
    auto at = std::lower_bound(run.begin(), run.end(), std::max(prefix, from));
    for (std::size_t left = limit; left > 0 && at != run.end() && at->starts_with(prefix); ++at, --left)
      out.emplace_back(*at);
  }
}

}  // namespace cairn
