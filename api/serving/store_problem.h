#pragma once

#include "api/http/problem.h"
#include "eventstore/base/error.h"

namespace cairn::api {

// The problem that a client gets for an error of the store. Details that only the operator should see go to
// the log.
Problem store_problem(const Error& error);

// The same for an append of several streams, whose fields are named "appends[N].…".
Problem store_problem_of_several(Error error);

}  // namespace cairn::api
