#pragma once

#include <cstddef>
#include <string>

#include "eventstore/base/result.h"
#include "eventstore/base/work_budget.h"
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

enum class SchemaForm { kIdentity, kNormalized, kWrittenOut };

// The limit of a text that print_schema() returns. Types written with names in full may take a text quadratic
// in the length of the schema's own.
inline constexpr std::size_t kSchemaTextBytesMax = 16u << 20;

// One of the texts above, for a schema of a client. Fails with kTooLarge. The work is charged to `budget`,
// unless that is nullptr; when it ends, fails as WorkBudget::error() says.
Result<std::string> print_schema(const Schema& schema, SchemaForm form, WorkBudget* budget);

}  // namespace cairn
