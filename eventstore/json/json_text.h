#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cairn {

// Pieces of JSON text, in and out.

constexpr bool is_json_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

constexpr bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
constexpr bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

// The number in "\u12ab" at the beginning of `text`; nullopt when there is none.
std::optional<std::uint32_t> json_escape_unit(std::string_view text);

// What stands between the quotes of a checked JSON string, without its escapes.
std::string json_unescaped(std::string_view raw);

// Appends `text` as a JSON string, with quotes. Text that is not UTF-8 gets U+FFFD where it is not.
void append_json_string(std::string& to, std::string_view text);

// Appends a checked JSON value without the white space between its parts. Numbers and strings stay as they
// were written.
void append_compact_json(std::string& to, std::string_view value);

}  // namespace cairn
