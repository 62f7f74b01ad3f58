#pragma once

#include <string>

#include "schemaregistry/model/schema.h"

namespace cairn {

// The text that identifies a schema: two texts of the same schema, including doc strings, defaults, aliases
// and foreign properties, give the same. White space, the order of members, the split of names into name and
// namespace, and {"type":"string"} for "string" make no difference. It parses to an equal schema.
std::string schema_text(const Schema& schema);

// The same, with every name in full, and with aliases and foreign properties sorted.
std::string normalized_schema_text(const Schema& schema);

// As schema_text(), with the types of referenced schemas written out where they are used first.
std::string written_out_schema_text(const Schema& schema);

}  // namespace cairn
