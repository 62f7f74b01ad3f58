#pragma once

#include <string>

#include "schemaregistry/model/schema.h"

namespace cairn {

// What a value of this type is, for people: "long", "a symbol of Color: RED, GREEN".
std::string wanted_value(const SchemaNode& type);

}  // namespace cairn
