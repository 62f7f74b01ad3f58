#include "schemaregistry/codec/wanted_value.h"

namespace cairn {

std::string wanted_value(const SchemaNode& type) {
  constexpr std::size_t kNamesShown = 20;
  const auto list = [](const auto& names) {
    std::string text;
    std::size_t shown = 0;
    for (const auto& name : names) {
      if (shown++ == kNamesShown) return text + ", …";
      if (!text.empty()) text += ", ";
      text += name;
    }
    return text;
  };
  std::vector<std::string> tags;
  switch (type.kind) {
    case SchemaKind::kEnum:
      return "a symbol of " + type.name.full() + ": " + list(type.symbols);
    case SchemaKind::kFixed:
      return "fixed " + type.name.full() + " of " + std::to_string(type.size) + " bytes";
    case SchemaKind::kRecord:
      return "record " + type.name.full();
    case SchemaKind::kUnion:
      for (const SchemaNode* branch : type.branches) tags.push_back(type_name(*branch));
      return "one of " + list(tags);
    default:
      return std::string(to_string(type.kind));
  }
}

}  // namespace cairn
