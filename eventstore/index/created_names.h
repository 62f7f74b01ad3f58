#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/mutex.h"

namespace cairn {

// The names of the streams that begin in a generation of the tail. The writer thread appends names unsorted,
// because sorting would be the most expensive part of a new stream. A caller of list() sorts the names added
// since the last call into runs, as in an LSM tree. Thread-safe.
class CreatedNames {
 public:
  // Adds the names of one block atomically: list() returns all of them or none.
  // REQUIRES: the text of the names outlives this object.
  void add(std::span<const std::string_view> names) CAIRN_EXCLUDES(unsorted_mutex_);

  // Appends to `out`, unsorted, at least the first `limit` names that begin with `prefix` and are not below
  // `from`.
  void list(std::string_view prefix, std::string_view from, std::size_t limit,
            std::vector<std::string>& out) const CAIRN_EXCLUDES(runs_mutex_, unsorted_mutex_);

 private:
  using Names = std::vector<std::string_view>;
  void sort_into_runs() const CAIRN_REQUIRES(runs_mutex_) CAIRN_EXCLUDES(unsorted_mutex_);

  mutable Mutex unsorted_mutex_;
  // A deque, because it does not move its elements when it grows, which would delay the writer thread.
  mutable std::deque<std::string_view> unsorted_ CAIRN_GUARDED_BY(unsorted_mutex_);
  // Held while sorting, so the writer thread never takes it. Acquired before unsorted_mutex_.
  mutable Mutex runs_mutex_;
  mutable std::vector<Names> runs_ CAIRN_GUARDED_BY(runs_mutex_);  // each over twice as long as the next
};

}  // namespace cairn
