#pragma once

#include <span>
#include <string>

#include "api/http/problem.h"
#include "upcasters/model/shape_fault.h"

namespace cairn::api {

// What a client is told of an event that cannot be had in the shape it wants. What only the operator should
// know goes to the log.
Problem shape_problem(const ShapeFault& fault);

// "position 7 (order-1, version 2): …", for the log and for people.
std::string describe(const ShapeFault& fault);

// [{"position":7,"stream":"order-1","version":2,"error":"…"}]
std::string failures_json(std::span<const ShapeFault> failures);

}  // namespace cairn::api
