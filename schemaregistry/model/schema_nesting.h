#pragma once

#include <cstddef>

#include "schemaregistry/model/schema.h"

namespace cairn {

// Whether the type, with every type it leads to written out where it stands first, has more than `depth_max`
// brackets within brackets. Who prints or parses that text recurses so deep.
bool is_nested_deeper(const SchemaNode& root, std::size_t depth_max);

}  // namespace cairn
