#include "eventstore/json/json_cursor.h"

#include <charconv>
#include <system_error>

#include "eventstore/json/json_text.h"

namespace cairn {

std::string_view to_string(JsonKind kind) {
  switch (kind) {
    case JsonKind::kObject:
      return "an object";
    case JsonKind::kArray:
      return "an array";
    case JsonKind::kString:
      return "a string";
    case JsonKind::kNumber:
      return "a number";
    case JsonKind::kBool:
      return "true or false";
    case JsonKind::kNull:
      return "null";
  }
  return "nothing";
}

JsonKind JsonCursor::kind() const {
  switch (text_[at_]) {
    case '{':
      return JsonKind::kObject;
    case '[':
      return JsonKind::kArray;
    case '"':
      return JsonKind::kString;
    case 't':
    case 'f':
      return JsonKind::kBool;
    case 'n':
      return JsonKind::kNull;
    default:
      return JsonKind::kNumber;
  }
}

std::string_view JsonCursor::take_raw() {
  const std::size_t begin = at_;
  std::size_t depth = 0;
  do {
    switch (text_[at_]) {
      case '{':
      case '[':
        ++depth;
        ++at_;
        break;
      case '}':
      case ']':
        --depth;
        ++at_;
        break;
      case '"':
        skip_string();
        break;
      case ',':
      case ':':
      case ' ':
      case '\n':
      case '\t':
      case '\r':
        ++at_;
        break;
      default:  // a number or a word
        while (at_ < text_.size() &&
               std::string_view(",:]} \n\t\r").find(text_[at_]) == std::string_view::npos)
          ++at_;
    }
  } while (depth > 0);
  const std::string_view raw = text_.substr(begin, at_ - begin);
  skip_space();
  return raw;
}

std::string JsonCursor::take_string() {
  const std::string_view raw = take_raw();
  const std::string_view inner = raw.substr(1, raw.size() - 2);
  return inner.find('\\') == std::string_view::npos ? std::string(inner) : json_unescaped(inner);
}

std::optional<std::string> JsonCursor::next_name() {
  if (at_end('}')) return std::nullopt;
  std::string name = take_string();
  ++at_;  // the colon
  skip_space();
  return name;
}

bool JsonCursor::next_element() { return !at_end(']'); }

void JsonCursor::enter() {
  ++at_;
  skip_space();
}

// Skips the end of the current object or array, or the comma before its next member.
bool JsonCursor::at_end(char end) {
  const char c = text_[at_];
  if (c == end || c == ',') {
    ++at_;
    skip_space();
  }
  return c == end;
}

void JsonCursor::skip_space() {
  while (at_ < text_.size() && is_json_space(text_[at_])) ++at_;
}

void JsonCursor::skip_string() {
  do {
    at_ += text_[at_] == '\\' ? 2 : 1;
  } while (text_[at_] != '"');
  ++at_;
}

std::optional<std::uint64_t> json_whole_number(std::string_view raw) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), number);
  if (error != std::errc() || end != raw.data() + raw.size()) return std::nullopt;
  return number;
}

}  // namespace cairn
