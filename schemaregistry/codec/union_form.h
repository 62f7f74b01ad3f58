#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schemaregistry/model/schema.h"

namespace cairn {

// How the values of a union look in JSON. A value stands for itself ("x", null) where it can only be meant
// for one of the union's types, and under the type's name ({"bytes": "x"}), as Avro's JSON has it, where it
// could be taken for another one. Both are understood.

// JSON values of different groups cannot be taken for each other.
enum class JsonGroup : std::uint8_t { kNull, kBoolean, kInteger, kDecimal, kText, kArray, kObject };
JsonGroup json_group(SchemaKind kind);

// Whether a value of one type of a union has to be written under the type's name.
enum class TagNeed : std::uint8_t {
  kNever,
  kAlways,
  kIfNotFinite,    // "NaN" could be a string
  kIfOneTagEntry,  // a map whose only key is a type's name could be that type's value
};

struct UnionForm {
  explicit UnionForm(const SchemaNode& node);

  // The place of the type that goes by this name, or -1.
  int branch_of(std::string_view tag) const;

  std::vector<std::string> tags;  // in the order of the union's types
  std::vector<TagNeed> needs;     // the same
};

}  // namespace cairn
