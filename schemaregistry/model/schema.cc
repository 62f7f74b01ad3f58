#include "schemaregistry/model/schema.h"

#include <array>

namespace cairn {

namespace {

constexpr std::array<std::string_view, 14> kKindNames = {"null",   "boolean", "int",    "long",   "float",
                                                         "double", "bytes",   "string", "record", "enum",
                                                         "fixed",  "array",   "map",    "union"};
constexpr std::size_t kPrimitives = 8;  // the first kinds

}  // namespace

std::string_view to_string(SchemaKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

std::optional<SchemaKind> primitive_kind(std::string_view name) {
  for (std::size_t i = 0; i < kPrimitives; ++i) {
    if (kKindNames[i] == name) return static_cast<SchemaKind>(i);
  }
  return std::nullopt;
}

std::string type_name(const SchemaNode& type) {
  return is_named(type.kind) ? type.name.full() : std::string(to_string(type.kind));
}

}  // namespace cairn
