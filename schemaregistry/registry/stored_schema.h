#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "eventstore/types.h"
#include "schemaregistry/model/schema.h"

namespace cairn {

// The version that defines a type which a schema only names.
struct SchemaReference {
  std::string name;  // the type's full name, as the schema uses it
  std::string subject;
  std::uint32_t version = 0;

  friend bool operator==(const SchemaReference&, const SchemaReference&) = default;
};

// A registered schema. Immutable; identified by its text and references.
struct StoredSchema {
  SchemaId id;
  std::string text;
  std::vector<SchemaReference> references;
  Schema schema;

  // The schemas that `references` resolved to when the schema was registered, in the same order. They stay
  // the same when subjects are deleted and their version numbers are given again.
  std::vector<std::shared_ptr<const StoredSchema>> referenced;
};

}  // namespace cairn
