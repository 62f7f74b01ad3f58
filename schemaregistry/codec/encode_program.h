#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "eventstore/base/result.h"
#include "schemaregistry/codec/union_form.h"
#include "schemaregistry/model/schema.h"

namespace cairn {

struct EncodeNode;

struct EncodeField {
  std::string_view name;
  const EncodeNode* type = nullptr;
  std::optional<std::string> default_bytes;
  std::size_t default_depth = 0;  // records, arrays and maps within each other in it
  std::size_t default_empty = 0;  // values in it that take no bytes
};

// A type with what an encoder needs: the index of each field or symbol by name, and the encoded defaults.
struct EncodeNode {
  const SchemaNode* type = nullptr;
  std::vector<EncodeField> fields;                             // of a record
  std::unordered_map<std::string_view, std::uint32_t> places;  // of its fields, or an enum's symbols
  const EncodeNode* element = nullptr;                         // of an array or map
  std::vector<const EncodeNode*> branches;                     // of a union
  std::optional<UnionForm> form;                               // of a union
  std::vector<std::uint32_t> object_branches;                  // of a union: its records and its map
  std::size_t required_fields = 0;                             // of a record: those without a default
  bool has_default_bytes = false;     // of a record: the default of each field that has one is encoded
  std::size_t default_depth_max = 0;  // of a record: the largest `default_depth` of its fields

  // The place of the field or symbol, or -1.
  int place_of(std::string_view name) const {
    const auto found = places.find(name);
    return found == places.end() ? -1 : static_cast<int>(found->second);
  }
};

// A schema, compiled for encoding values. Immutable.
class EncodeProgram {
 public:
  // REQUIRES: the schema that `root` belongs to outlives the program.
  static Result<EncodeProgram> compile(const SchemaNode& root);

  const EncodeNode& root() const { return *root_; }

  // The node of a type of the schema; nullptr for a type of another schema.
  const EncodeNode* find(const SchemaNode& type) const {
    const auto found = known_.find(&type);
    return found == known_.end() ? nullptr : found->second;
  }

 private:
  EncodeNode* node_of(const SchemaNode& type);
  void fill(EncodeNode& node);
  Status compile_defaults(EncodeNode& node);

  std::deque<EncodeNode> nodes_;
  std::unordered_map<const SchemaNode*, EncodeNode*> known_;
  const EncodeNode* root_ = nullptr;
  std::size_t default_bytes_ = 0;  // of all fields so far
};

}  // namespace cairn
