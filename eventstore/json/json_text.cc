#include "eventstore/json/json_text.h"

#include <algorithm>
#include <array>

#include "eventstore/base/names.h"

namespace cairn {

namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_utf8(std::string& to, std::uint32_t c) {
  if (c < 0x80) {
    to += static_cast<char>(c);
  } else if (c < 0x800) {
    to += static_cast<char>(0xC0 | (c >> 6));
    to += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    to += static_cast<char>(0xE0 | (c >> 12));
    to += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    to += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    to += static_cast<char>(0xF0 | (c >> 18));
    to += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    to += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    to += static_cast<char>(0x80 | (c & 0x3F));
  }
}

char plain_escape(char c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return c;
  }
}

constexpr bool needs_escape(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || c == 0x7f;
}

constexpr auto kIsPlain = [] {
  std::array<bool, 256> plain{};
  for (int c = 0; c < 0x80; ++c) plain[static_cast<std::size_t>(c)] = !needs_escape(static_cast<char>(c));
  return plain;
}();

void append_escaped(std::string& to, char c) {
  if (c == '"' || c == '\\') {
    to += '\\';
    to += c;
  } else if (c == '\n') {
    to += "\\n";
  } else {
    const auto byte = static_cast<unsigned char>(c);
    to += "\\u00";
    to += kHexDigits[byte >> 4];
    to += kHexDigits[byte & 15];
  }
}

// `text` with U+FFFD in place of every byte that is not part of a valid character.
std::string with_replacements(std::string_view text) {
  std::string good;
  while (!text.empty()) {
    std::size_t size = std::min<std::size_t>(4, text.size());
    while (size > 0 && !is_utf8(text.substr(0, size))) --size;
    if (size == 0) {
      good += "\xEF\xBF\xBD";
      size = 1;
    } else {
      good += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return good;
}

}  // namespace

std::optional<std::uint32_t> json_escape_unit(std::string_view text) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return std::nullopt;
  std::uint32_t unit = 0;
  for (std::size_t i = 2; i < 6; ++i) {
    const int digit = hex_value(text[i]);
    if (digit < 0) return std::nullopt;
    unit = unit * 16 + static_cast<std::uint32_t>(digit);
  }
  return unit;
}

std::string json_unescaped(std::string_view raw) {
  std::string text;
  text.reserve(raw.size());
  while (!raw.empty()) {
    const std::size_t plain = std::min(raw.find('\\'), raw.size());
    text += raw.substr(0, plain);
    raw.remove_prefix(plain);
    if (raw.size() < 2) break;
    if (raw[1] != 'u') {
      text += plain_escape(raw[1]);
      raw.remove_prefix(2);
      continue;
    }
    std::uint32_t c = json_escape_unit(raw).value_or(0xFFFD);
    raw.remove_prefix(std::min<std::size_t>(6, raw.size()));
    if (is_high_surrogate(c)) {
      const std::uint32_t low = json_escape_unit(raw).value_or(0xDC00);
      c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
      raw.remove_prefix(std::min<std::size_t>(6, raw.size()));
    }
    append_utf8(text, c);
  }
  return text;
}

bool is_plain_json_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return kIsPlain[static_cast<unsigned char>(c)]; });
}

void append_json_string(std::string& to, std::string_view text) {
  std::string valid;
  if (!is_utf8(text)) text = valid = with_replacements(text);
  to += '"';
  while (!text.empty()) {
    const auto stop = std::find_if(text.begin(), text.end(), needs_escape);
    const auto plain = static_cast<std::size_t>(stop - text.begin());
    to.append(text.data(), plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    append_escaped(to, text.front());
    text.remove_prefix(1);
  }
  to += '"';
}

void append_compact_json(std::string& to, std::string_view value) {
  std::size_t at = 0;
  std::size_t kept = 0;  // everything before this offset is in `to` already, or was left out
  while (at < value.size()) {
    const char c = value[at];
    if (c == '"') {
      do {
        at += value[at] == '\\' ? 2 : 1;
      } while (at < value.size() && value[at] != '"');
      ++at;
    } else if (is_json_space(c)) {
      to.append(value, kept, at - kept);
      while (at < value.size() && is_json_space(value[at])) ++at;
      kept = at;
    } else {
      ++at;
    }
  }
  if (kept < value.size()) to.append(value, kept, value.size() - kept);
}

}  // namespace cairn
