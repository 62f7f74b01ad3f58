#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schemaregistry/model/schema.h"

namespace cairn {

// The JSON form of a union's values. A value is written plain ("x", null) where only one of the union's types
// can be meant, and under the type's name ({"bytes": "x"}), as in Avro's JSON encoding, where it is
// ambiguous. Encoders accept both.

// JSON values of different groups are unambiguous.
enum class JsonGroup : std::uint8_t { kNull, kBoolean, kInteger, kDecimal, kText, kArray, kObject };
JsonGroup json_group(SchemaKind kind);

// When a value of one type of a union is written under the type's name.
enum class TagNeed : std::uint8_t {
  kNever,
  kAlways,
  kIfNotFinite,    // "NaN" could be a string
  kIfOneTagEntry,  // a map whose only key is a type's name could be that type's value
};

struct UnionForm {
  explicit UnionForm(const SchemaNode& node);

  // The index of the type with this name, or -1.
  int branch_of(std::string_view tag) const;

  std::vector<std::string> tags;  // in the order of the union's types
  std::vector<TagNeed> needs;     // the same

 private:
  std::vector<std::uint32_t> by_name_;  // the indexes of the tags, in the order of their names
};

}  // namespace cairn
