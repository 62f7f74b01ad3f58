#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/base/clock.h"
#include "eventstore/json/json_text.h"

namespace cairn {

// Appends a number in decimal.
inline void append_number(std::string& to, std::uint64_t number) {
  std::array<char, 20> digits;
  to.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

// Appends JSON to `to`: objects, arrays and values in the order of the calls, without white space. The writer
// puts commas, quotes and escapes; the caller pairs begin and end. Not thread-safe.
//
//   JsonWriter json(text);
//   json.begin_object();
//   json.text("stream", name);
//   json.begin_array("tags");
//   for (const auto& tag : tags) json.text(tag);
//   json.end_array();
//   json.end_object();              {"stream":"order-1","tags":["a","b"]}
//
// A part of the text may come from another function, with a writer of its own on the same string: the caller
// announces it with key() or element().
//
// REQUIRES: names of members need no escapes; `to` outlives the writer, and between begin and end nothing else
// appends to it unless key() or element() announced a value.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& to) : to_(to) {}

  void begin_object() { open('{'); }
  void begin_object(std::string_view name) { key(name), begin_object(); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void begin_array(std::string_view name) { key(name), begin_array(); }
  void end_array() { close(']'); }

  // Members of an object. An optional without a value is null.
  void text(std::string_view name, std::string_view value) { key(name), text(value); }
  void text_or_null(std::string_view name, const std::optional<std::string>& value);
  // A text that needs no escapes, such as a UUID or the name of an enumerator.
  void plain_text(std::string_view name, std::string_view value) { key(name), plain_text(value); }
  void number(std::string_view name, std::uint64_t value) { key(name), number(value); }
  void number(std::string_view name, std::optional<std::uint64_t> value);
  void number_or_null(std::string_view name, std::uint64_t value);  // 0 is null
  void flag(std::string_view name, bool value) { raw(name, value ? "true" : "false"); }
  void time(std::string_view name, Timestamp value);
  void null(std::string_view name) { raw(name, "null"); }
  // Rounded to three decimals, the precision of our seconds and rates. Null if it is not finite.
  void measure(std::string_view name, std::optional<double> value);
  // REQUIRES: `json` is a JSON value.
  void raw(std::string_view name, std::string_view json) { key(name), raw(json); }

  // Elements of an array, or the value behind key().
  void text(std::string_view value) {
    separate();
    append_json_string(to_, value);
  }
  void plain_text(std::string_view value) {
    separate();
    to_ += '"';
    to_ += value;
    to_ += '"';
  }
  void number(std::uint64_t value) {
    separate();
    append_number(to_, value);
  }
  void raw(std::string_view json) {
    separate();
    to_ += json;
  }

  // Announces a member, or an element, whose value the caller appends to `to` itself.
  void key(std::string_view name) {
    // One append for comma, quotes, name and colon: an event is written with thirteen names.
    std::array<char, kShortNameBytes + 4> text;
    char* end = text.data();
    if (comma_) *end++ = ',';
    *end++ = '"';
    if (name.size() <= kShortNameBytes) {
      end = std::copy(name.begin(), name.end(), end);
    } else {
      to_.append(text.data(), end);
      to_ += name;
      end = text.data();
    }
    *end++ = '"';
    *end++ = ':';
    to_.append(text.data(), end);
    comma_ = true;
    named_ = true;
  }
  void element() { separate(); }

 private:
  // Adds the comma before a value that follows another one. A value after its name has none.
  void separate() {
    if (comma_ && !named_) to_ += ',';
    comma_ = true;
    named_ = false;
  }
  void open(char bracket) {
    separate();
    to_ += bracket;
    comma_ = false;
  }
  void close(char bracket) {
    to_ += bracket;
    comma_ = true;
    named_ = false;
  }

  static constexpr std::size_t kShortNameBytes = 60;

  std::string& to_;
  bool comma_ = false;  // the next value or name follows another one
  bool named_ = false;  // the next value belongs to the name just written
};

// The text of an object, whose members `write(json)` writes.
template <typename Write>
std::string json_object(Write&& write) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write(json);
  json.end_object();
  return text;
}

}  // namespace cairn
