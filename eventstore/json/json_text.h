#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cairn {

constexpr bool is_json_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

constexpr bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
constexpr bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

// The code unit of the escape "\u12ab" at the start of `text`; nullopt when there is none.
std::optional<std::uint32_t> json_escape_unit(std::string_view text);

// Removes the escapes. REQUIRES: `raw` is the text between the quotes of a checked JSON string.
std::string json_unescaped(std::string_view raw);

// Whether `text` is ASCII and has no character that append_json_string() escapes.
bool is_plain_json_text(std::string_view text);

// Appends `text` as a JSON string with quotes. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& to, std::string_view text);

// Appends a checked JSON value without white space between its tokens. Numbers and strings stay as they are
// written.
void append_compact_json(std::string& to, std::string_view value);

}  // namespace cairn
