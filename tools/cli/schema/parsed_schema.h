#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/base/result.h"
#include "schemaregistry/compatibility/compatibility_level.h"
#include "schemaregistry/model/schema.h"
#include "tools/cli/schema/schema_history.h"

namespace cairn::cli {

// Returns the version that a reference names; nullopt when it does not exist.
using FindVersion = std::function<Result<std::optional<SchemaVersion>>(const SchemaReference&)>;

// A schema with its resolved references.
struct ParsedSchema {
  int version = 0;
  Schema schema;
  std::string text;  // the schema's identity, together with the references
  std::vector<SchemaReference> references;

  bool is_same(const ParsedSchema& other) const {
    return text == other.text && references == other.references;
  }
};

// Parses a schema with its references. kInvalidArgument and kTooLarge say what is wrong and where; other
// errors are those of `find`.
Result<ParsedSchema> parse_version(const SchemaVersion& version, const FindVersion& find);

// check_level() for versions in ascending order.
std::vector<std::string> check_against(CompatibilityLevel level, const Schema& candidate,
                                       const std::vector<ParsedSchema>& oldest_first);

}  // namespace cairn::cli
