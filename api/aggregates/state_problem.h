#pragma once

#include <string_view>

#include "api/http/problem.h"
#include "projections/aggregates/aggregates.h"
#include "projections/aggregates/state.h"

namespace cairn::api {

// What a client is told when there is no state of a stream. What only the operator should know goes to the
// log.
Problem state_problem(std::string_view stream, const StateProblem& problem);

// The same when its aggregate is not taken.
Problem aggregate_problem(const AggregateRefusal& refusal);

// The same when a run over all streams of a category came to no end.
Problem snapshot_run_problem(std::string_view category, const Error& error);

}  // namespace cairn::api
