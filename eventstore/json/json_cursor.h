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

// Walks a JSON text once, from front to back, without copying it: numbers keep every digit, and a part can be
// taken as it was written. Belongs to one thread.
//
// Nothing is checked on the way. REQUIRES: check_json() found no fault in the text, and it outlives the
// cursor.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view checked) : text_(checked) { skip_space(); }

  // What the value here is.
  JsonKind kind() const;

  // The value here as it is written; moves behind it.
  std::string_view take_raw();

  // The value here without its escapes; moves behind it. REQUIRES: kind() is kString.
  std::string take_string();

  // Steps into the object here; then next_name() moves to one member's value after the other, and past the
  // object with nullopt. Each value has to be taken before the next call. REQUIRES: kind() is kObject.
  void enter_object() { enter(); }
  std::optional<std::string> next_name();

  // The same for arrays: next_element() is false behind the last one. REQUIRES: kind() is kArray.
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

// A number written as a whole number from 0 to 2^64-1, without point and exponent; nullopt for any other.
std::optional<std::uint64_t> json_whole_number(std::string_view raw);

}  // namespace cairn
