#include "eventstore/json/json_member.h"

#include "eventstore/json/json_check.h"
#include "eventstore/json/json_cursor.h"

namespace cairn {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

// The place of the closing quote of the string that begins with the quote at `at`, or the end of the text.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const std::size_t first = at + 1;
  for (at = first;; ++at) {
    at = text.find('"', at);
    if (at == std::string_view::npos) return text.size();
    std::size_t escapes = 0;
    while (at - escapes > first && text[at - escapes - 1] == '\\') ++escapes;
    if (escapes % 2 == 0) return at;
  }
}

std::optional<std::string_view> unescaped(std::string_view quoted, std::string& scratch) {
  const std::string_view content = quoted.substr(1, quoted.size() - 2);
  if (content.find('\\') == std::string_view::npos) return content;
  if (check_json(quoted)) return std::nullopt;
  scratch = JsonCursor(quoted).take_string();
  return scratch;
}

}  // namespace

std::optional<std::string_view> string_member(std::string_view object, std::string_view name,
                                              std::string& scratch) {
  if (object.find(name) == std::string_view::npos) return std::nullopt;
  int depth = 0;
  for (std::size_t at = 0; at < object.size(); ++at) {
    const char c = object[at];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') continue;
    const std::size_t end = end_of_string(object, at);
    if (end >= object.size()) return std::nullopt;
    const std::string_view text = object.substr(at + 1, end - at - 1);
    at = end;
    if (depth != 1 || text != name) continue;
    // The name, unless it is the value of another member.
    const std::size_t colon = object.find_first_not_of(kSpace, end + 1);
    if (colon == std::string_view::npos || object[colon] != ':') continue;
    const std::size_t value = object.find_first_not_of(kSpace, colon + 1);
    if (value == std::string_view::npos || object[value] != '"') return std::nullopt;
    const std::size_t close = end_of_string(object, value);
    if (close >= object.size()) return std::nullopt;
    return unescaped(object.substr(value, close - value + 1), scratch);
  }
  return std::nullopt;
}

}  // namespace cairn
