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

// Gives the version a reference means; nullopt when there is none.
using FindVersion = std::function<Result<std::optional<SchemaVersion>>(const SchemaReference&)>;

// A schema and all it refers to.
struct ParsedSchema {
  int version = 0;
  Schema schema;
  std::string text;  // which gives it its identity, together with the references
  std::vector<SchemaReference> references;

  bool is_same(const ParsedSchema& other) const {
    return text == other.text && references == other.references;
  }
};

// Checks a schema with everything it refers to. kInvalidArgument and kTooLarge say what is wrong with it and
// where; other errors are those of `find`.
Result<ParsedSchema> parse_version(const SchemaVersion& version, const FindVersion& find);

// check_level() for versions that stand the oldest first.
std::vector<std::string> check_against(CompatibilityLevel level, const Schema& candidate,
                                       const std::vector<ParsedSchema>& oldest_first);

}  // namespace cairn::cli
