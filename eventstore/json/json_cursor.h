#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cairn {

enum class JsonKind { kObject, kArray, kString, kNumber, kBool, kNull };

// "an object", "a string", …
std::string_view to_string(JsonKind kind);

// Reads a JSON text once, from front to back, without copying it: numbers keep every digit, and a part can be
// taken as it was written. Not thread-safe.
//
// It checks nothing itself. REQUIRES: check_json() found no fault in the text, and the text outlives the
// cursor.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view checked) : text_(checked) { skip_space(); }

  // The kind of the current value.
  JsonKind kind() const;

  // Takes the current value as it is written, and moves past it.
  std::string_view take_raw();

  // Takes the current string without its escapes, and moves past it. REQUIRES: kind() is kString.
  std::string take_string();

  // The text, and the place of the current value in it.
  std::string_view text() const { return text_; }
  const char* at() const { return text_.data() + at_; }

  // Moves past the current value, whose last byte is before `end`.
  void move_past(const char* end) {
    at_ = static_cast<std::size_t>(end - text_.data());
    skip_space();
  }

  // Enters the current object. Each next_name() then moves to the value of the next member, and after the
  // last one past the object, with nullopt. REQUIRES: kind() is kObject; each value is taken before the next
  // call.
  void enter_object() { enter(); }
  std::optional<std::string> next_name();

  // The same for arrays: next_element() is false after the last one. REQUIRES: kind() is kArray.
  void enter_array() { enter(); }
  bool next_element();

 private:
  void enter();
  void skip_space();
  void skip_string();
  bool at_end(char end);

  std::string_view text_;
  std::size_t at_ = 0;
};

// Parses an integer from 0 to 2^64-1, written without point and exponent; nullopt for anything else.
std::optional<std::uint64_t> json_whole_number(std::string_view raw);

}  // namespace cairn
