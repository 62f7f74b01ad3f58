#include "schemaregistry/codec/json_scalar.h"

#include "schemaregistry/codec/union_form.h"

namespace cairn {

std::optional<std::string> bytes_of_text(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      bytes += text[i];
      continue;
    }
    if (c != 0xC2 && c != 0xC3) return std::nullopt;
    bytes += static_cast<char>(((c & 0x03) << 6) | (static_cast<unsigned char>(text[++i]) & 0x3F));
  }
  return bytes;
}

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
  switch (type.kind) {
    case SchemaKind::kEnum:
      return "a symbol of " + type.name.full() + ": " + list(type.symbols);
    case SchemaKind::kFixed:
      return "fixed " + type.name.full() + " of " + std::to_string(type.size) + " bytes";
    case SchemaKind::kRecord:
      return "record " + type.name.full();
    case SchemaKind::kUnion:
      return "one of " + list(UnionForm(type).tags);
    default:
      return std::string(to_string(type.kind));
  }
}

}  // namespace cairn
