#include "eventstore/base/names.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cairn {
namespace {

constexpr std::uint32_t kInvalid = 0xFFFFFFFF;

// Takes one code point from the front of `text`; kInvalid when there is none that is well-formed.
std::uint32_t take_code_point(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  std::size_t length = 1;
  std::uint32_t point = lead;
  std::uint32_t least = 0;
  if (lead >= 0xF0) {
    length = 4, point = lead & 0x07u, least = 0x10000;
  } else if (lead >= 0xE0) {
    length = 3, point = lead & 0x0Fu, least = 0x800;
  } else if (lead >= 0xC0) {
    length = 2, point = lead & 0x1Fu, least = 0x80;
  } else if (lead >= 0x80) {
    return kInvalid;
  }
  if (lead > 0xF4 || text.size() < length) return kInvalid;
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0u) != 0x80) return kInvalid;
    point = (point << 6) | (byte & 0x3Fu);
  }
  if (point < least || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return kInvalid;
  text.remove_prefix(length);
  return point;
}

}  // namespace

bool is_utf8(std::string_view text) { return utf8_prefix(text) == text.size(); }

std::size_t utf8_prefix(std::string_view text) {
  const std::size_t whole = text.size();
  while (!text.empty()) {
    // Most text is ASCII: eight bytes at a time, and the rest one by one.
    std::uint64_t word = 0;
    while (text.size() >= sizeof word) {
      std::memcpy(&word, text.data(), sizeof word);
      if ((word & 0x8080808080808080ull) != 0) break;
      text.remove_prefix(sizeof word);
    }
    while (!text.empty() && static_cast<unsigned char>(text.front()) < 0x80) text.remove_prefix(1);
    if (!text.empty() && take_code_point(text) == kInvalid) return whole - text.size();
  }
  return whole;
}

bool is_printable_name(std::string_view text) {
  while (!text.empty()) {
    const std::uint32_t point = take_code_point(text);
    if (point == kInvalid || point < 0x20 || (point >= 0x7F && point < 0xA0)) return false;
  }
  return true;
}

}  // namespace cairn
