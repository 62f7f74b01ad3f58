#pragma once

#include <string>
#include <vector>

#include "upcasters/definitions/upcasters.h"

namespace cairn {

// Whether a script may turn events into ones of this type: it says so, or the name stands in it.
bool may_produce(const Upcaster& upcaster, const std::string& type);

// The types under which events may be stored that come out as one of `wanted`: those themselves, and types
// whose upcasters may turn them into one.
// Rather one type too many than one too few: what comes out as another type is left out later.
std::vector<std::string> stored_types_of(const Upcasters& upcasters, const std::vector<std::string>& wanted);

}  // namespace cairn
