#pragma once

#include <vector>

#include "eventstore/index/term_table.h"

namespace cairn {

// The entries of the table by term.
std::vector<const TermTable::Entry*> sorted_entries(const TermTable& table);

}  // namespace cairn
