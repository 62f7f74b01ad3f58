#pragma once

#include <string>

#include "schemaregistry/model/schema.h"

namespace cairn {

// The values of a type, for messages: "long", "a symbol of Color: RED, GREEN".
std::string wanted_value(const SchemaNode& type);

}  // namespace cairn
