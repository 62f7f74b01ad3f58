#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "eventstore/types.h"
#include "schemaregistry/model/schema.h"

namespace cairn {

// Where a type that a schema only names is defined.
struct SchemaReference {
  std::string name;  // the type's full name, as the schema uses it
  std::string subject;
  std::uint32_t version = 0;

  friend bool operator==(const SchemaReference&, const SchemaReference&) = default;
};

// A schema as the registry keeps it. Never changes; text and references are what gives it its id.
struct StoredSchema {
  SchemaId id;
  std::string text;
  std::vector<SchemaReference> references;
  Schema schema;

  // What `references` stood for when the schema was registered, in the same order. Subjects may be deleted
  // and their version numbers given again; these stay.
  std::vector<std::shared_ptr<const StoredSchema>> referenced;
};

}  // namespace cairn
