#pragma once

#include <string>
#include <string_view>

#include "schemaregistry/model/schema.h"

namespace cairn {

// A letter or '_', then letters, digits and '_'; ASCII only, as Avro has it.
bool is_schema_name(std::string_view text);

// Such names with dots between them.
bool is_dotted_schema_name(std::string_view text);

// Splits at the last dot; a name without one gets `space`.
TypeName split_name(std::string_view text, std::string_view space);

}  // namespace cairn
