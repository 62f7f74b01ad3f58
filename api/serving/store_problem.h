#pragma once

#include "api/http/problem.h"
#include "eventstore/base/error.h"

namespace cairn::api {

// What a client is told of the store's refusal. What only the operator should know goes to the log.
Problem store_problem(const Error& error);

// The same for an append of several streams, whose fields stand in "appends[N]".
Problem store_problem_of_several(Error error);

}  // namespace cairn::api
