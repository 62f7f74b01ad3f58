#pragma once

#include <string_view>

#include "api/http/problem.h"
#include "projections/aggregates/aggregates.h"
#include "projections/aggregates/state.h"

namespace cairn::api {

// The problem that a client gets when a stream has no state. Details that only the operator should see go to
// the log.
Problem state_problem(std::string_view stream, const StateProblem& problem);

// The same for an aggregate that is refused.
Problem aggregate_problem(const AggregateRefusal& refusal);

// The same for a run over all streams of a category that did not finish.
Problem snapshot_run_problem(std::string_view category, const Error& error);

}  // namespace cairn::api
