#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/event_filter.h"
#include "eventstore/index/term_table.h"
#include "eventstore/types.h"

namespace cairn {

// An event that a query selects, and the first of its items that does.
struct QueryMatch {
  GlobalPosition position;
  std::size_t item = 0;
  friend bool operator==(const QueryMatch&, const QueryMatch&) = default;
};

// The terms of some consecutive events in memory, as far as queries need them.
struct MatchSource {
  const TermTable& terms;
  std::span<const std::uint64_t> system;  // the positions of events in system streams, ascending
  GlobalPosition first;
  GlobalPosition last;
};

// The first event behind `after` that the query selects. Looks at terms only, no more than `steps` of them in
// all: counts down, and fails with kBudgetExceeded at 0. REQUIRES: no item asks for a correlation.
Result<std::optional<QueryMatch>> first_match(const MatchSource& source, const EventQuery& query,
                                              GlobalPosition after, std::uint64_t& steps);

}  // namespace cairn
