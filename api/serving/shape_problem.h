#pragma once

#include <span>
#include <string>

#include "api/http/problem.h"
#include "upcasters/model/shape_fault.h"

namespace cairn::api {

// The problem that a client gets when an event cannot be brought to the shape it wants. Details that only the
// operator should see go to the log.
Problem shape_problem(const ShapeFault& fault);

// "position 7 (order-1, version 2): …", for logs and messages.
std::string describe(const ShapeFault& fault);

// [{"position":7,"stream":"order-1","version":2,"error":"…"}]
std::string failures_json(std::span<const ShapeFault> failures);

}  // namespace cairn::api
