#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

enum class SchemaKind : std::uint8_t {
  kNull,
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kBytes,
  kString,
  kRecord,
  kEnum,
  kFixed,
  kArray,
  kMap,
  kUnion,
};

// Avro's name of the kind: "long", "record", …
std::string_view to_string(SchemaKind kind);

// The kind of a primitive type's name; nullopt for every other name.
std::optional<SchemaKind> primitive_kind(std::string_view name);

constexpr bool is_named(SchemaKind kind) {
  return kind == SchemaKind::kRecord || kind == SchemaKind::kEnum || kind == SchemaKind::kFixed;
}

// A type's name. Without a namespace `space` is empty.
struct TypeName {
  std::string space;
  std::string name;

  std::string full() const { return space.empty() ? name : space + "." + name; }
  friend bool operator==(const TypeName&, const TypeName&) = default;
};

// An attribute that has no meaning in Avro at this place, or a logical type. It is kept and printed.
struct SchemaProperty {
  std::string name;
  std::string json;  // compact
};

struct SchemaNode;

enum class FieldOrder : std::uint8_t { kAscending, kDescending, kIgnore };

struct SchemaField {
  std::string name;
  const SchemaNode* type = nullptr;
  std::optional<std::string> doc;
  std::optional<std::string> default_json;  // compact; fits `type`
  FieldOrder order = FieldOrder::kAscending;
  std::vector<std::string> aliases;
  std::vector<SchemaProperty> properties;
};

// One type. `kind` determines which members are used. A named type is one node however often it is used, so
// nodes can be compared by address, and recursive types are cycles.
struct SchemaNode {
  SchemaKind kind = SchemaKind::kNull;
  bool is_error = false;    // a record that was written as "error"
  bool is_foreign = false;  // defined in a referenced schema, so this schema's text has only its name
  std::uint32_t size = 0;   // kFixed

  TypeName name;                              // kRecord, kEnum, kFixed
  std::optional<std::string> doc;             // the same
  std::vector<std::string> aliases;           // the same; full names
  std::vector<SchemaField> fields;            // kRecord
  std::vector<std::string> symbols;           // kEnum
  std::optional<std::string> symbol_default;  // kEnum
  const SchemaNode* element = nullptr;        // kArray: its items; kMap: its values
  std::vector<const SchemaNode*> branches;    // kUnion
  std::vector<SchemaProperty> properties;
};

// The name of a type within a union: its full name, or its kind.
std::string type_name(const SchemaNode& type);

// A validated Avro schema. Immutable; thread-safe. Nodes live as long as the schema.
class Schema {
 public:
  Schema(Schema&&) noexcept = default;
  Schema& operator=(Schema&&) noexcept = default;
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;

  const SchemaNode& root() const { return *root_; }

  // Every type of the schema and of those it refers to, in the order in which they were parsed.
  const std::deque<SchemaNode>& nodes() const { return nodes_; }

 private:
  friend class SchemaReader;
  Schema() = default;

  std::deque<SchemaNode> nodes_;  // a deque, because nodes point to each other
  const SchemaNode* root_ = nullptr;
};

}  // namespace cairn
