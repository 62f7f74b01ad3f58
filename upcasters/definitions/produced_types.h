#pragma once

#include <string>
#include <vector>

#include "upcasters/definitions/upcasters.h"

namespace cairn {

// The types under which events may be stored that come out as one of `wanted`: those themselves, and types
// whose upcasters may turn them into one. A script may do so when it says so, or when the name stands in it.
// Rather one type too many than one too few: what comes out as another type is left out later.
std::vector<std::string> stored_types_of(const Upcasters& upcasters, const std::vector<std::string>& wanted);

}  // namespace cairn
