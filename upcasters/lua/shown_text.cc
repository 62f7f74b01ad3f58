#include "upcasters/lua/shown_text.h"

#include <algorithm>

#include "eventstore/base/names.h"

namespace cairn {

namespace {

constexpr std::string_view kNoCharacter = "\uFFFD";
constexpr std::size_t kCharacterBytesMax = 4;

// How many bytes the character at the beginning has; 0 where there is none.
std::size_t character_bytes(std::string_view text) {
  for (std::size_t bytes = 1; bytes <= std::min(text.size(), kCharacterBytesMax); ++bytes) {
    if (is_utf8(text.substr(0, bytes))) return bytes;
  }
  return 0;
}

}  // namespace

std::string shown_text(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max && is_utf8(text)) return std::string(text);
  std::string shown;
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    const std::string_view character = bytes == 0 ? kNoCharacter : text.substr(0, bytes);
    if (shown.size() + character.size() > bytes_max) return shown + "…";
    shown += character;
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return shown;
}

}  // namespace cairn
