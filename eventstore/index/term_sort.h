#pragma once

#include <vector>

#include "eventstore/index/term_table.h"

namespace cairn {

// The entries of the table by term. Sorts by eight bytes at a time (multikey quicksort), because comparing
// whole terms would miss the cache for each of the n log n comparisons.
std::vector<const TermTable::Entry*> sorted_entries(const TermTable& table);

}  // namespace cairn
