#pragma once

#include <string>
#include <vector>

#include "upcasters/definitions/upcasters.h"

namespace cairn {

// Whether a script may produce events of this type: its header says so, or its source contains the name.
bool may_produce(const Upcaster& upcaster, const std::string& type);

// The stored types of events that may be shaped into one of `wanted`: those types, and types whose upcasters
// may produce them. A superset: readers filter by the shaped type too.
std::vector<std::string> stored_types_of(const Upcasters& upcasters, const std::vector<std::string>& wanted);

}  // namespace cairn
