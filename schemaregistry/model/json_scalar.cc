#include "schemaregistry/model/json_scalar.h"

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

}  // namespace cairn
