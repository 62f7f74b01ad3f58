#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/base/time_text.h"
#include "eventstore/base/uuid_text.h"
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
// Names and short values are collected in a buffer: an event has thirteen members, and one append to a string
// costs as much as the text of a member. `to` has the whole text when the outermost object or array ends, and
// all text so far after key() and element().
//
// REQUIRES: names of members need no escapes; `to` outlives the writer, and between begin and end nothing else
// appends to it unless key() or element() announced a value.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& to) : to_(to) {}

  void begin_object() { open('{'); }
  void begin_object(std::string_view name) { put_name(name), begin_object(); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void begin_array(std::string_view name) { put_name(name), begin_array(); }
  void end_array() { close(']'); }

  // Members of an object. An optional without a value is null.
  void text(std::string_view name, std::string_view value) { put_name(name), text(value); }
  void text_or_null(std::string_view name, const std::optional<std::string>& value);
  // A text that needs no escapes, such as the name of an enumerator.
  void plain_text(std::string_view name, std::string_view value) { put_name(name), plain_text(value); }
  void number(std::string_view name, std::uint64_t value) { put_name(name), number(value); }
  void number(std::string_view name, std::optional<std::uint64_t> value);
  void number_or_null(std::string_view name, std::uint64_t value) {  // 0 is null
    value == 0 ? null(name) : number(name, value);
  }
  void flag(std::string_view name, bool value) { raw(name, value ? "true" : "false"); }
  void time(std::string_view name, Timestamp value) { put_name(name), characters(time_text(value)); }
  void uuid(std::string_view name, const Uuid& value) { put_name(name), uuid(value); }
  void null(std::string_view name) { raw(name, "null"); }
  // Rounded to three decimals, the precision of our seconds and rates. Null if it is not finite.
  void measure(std::string_view name, std::optional<double> value);
  // REQUIRES: `json` is a JSON value.
  void raw(std::string_view name, std::string_view json) { put_name(name), raw(json); }

  // Elements of an array, or the value behind key().
  void text(std::string_view value) {
    separate();
    if (is_plain_json_text(value)) {
      put_quoted(value);
    } else {
      flush();
      append_json_string(to_, value);
    }
    end_value();
  }
  void plain_text(std::string_view value) {
    separate();
    put_quoted(value);
    end_value();
  }
  void uuid(const Uuid& value) { characters(uuid_text(value)); }
  void number(std::uint64_t value) {
    std::array<char, 20> digits;
    raw({digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr});
  }
  void raw(std::string_view json) {
    separate();
    put(json);
    end_value();
  }

  // Announces a member, or an element, whose value the caller appends to `to` itself.
  void key(std::string_view name) { put_name(name), flush(); }
  void element() { separate(), flush(); }

 private:
  void put(char c) {
    if (buffered_ == buffer_.size()) flush();
    buffer_[buffered_++] = c;
  }
  void put(std::string_view piece) {
    if (piece.size() > buffer_.size() - buffered_) return put_large(piece);
    if (piece.empty()) return;  // it may have no address, which memcpy() does not take
    std::memcpy(buffer_.data() + buffered_, piece.data(), piece.size());
    buffered_ += piece.size();
  }
  void put_large(std::string_view piece) {
    flush();
    to_.append(piece);
  }
  template <std::size_t N>
  void characters(const std::array<char, N>& value) {
    plain_text({value.data(), N});
  }
  void put_quoted(std::string_view value) { put('"'), put(value), put('"'); }
  void put_name(std::string_view name) {
    constexpr std::size_t kPunctuation = 4;
    if (name.size() + kPunctuation <= buffer_.size() - buffered_) {
      char* at = buffer_.data() + buffered_;
      if (comma_) *at++ = ',';
      *at++ = '"';
      at = std::copy(name.begin(), name.end(), at);
      *at++ = '"';
      *at++ = ':';
      buffered_ = static_cast<std::size_t>(at - buffer_.data());
    } else {
      if (comma_) put(',');
      put_quoted(name);
      put(':');
    }
    comma_ = true;
    named_ = true;
  }

  // Adds the comma before a value that follows another one. A value after its name has none.
  void separate() {
    if (comma_ && !named_) put(',');
    comma_ = true;
    named_ = false;
  }
  void open(char bracket) {
    separate();
    put(bracket);
    comma_ = false;
    ++depth_;
  }
  void close(char bracket) {
    put(bracket);
    comma_ = true;
    named_ = false;
    --depth_;
    end_value();
  }

  void end_value() {
    if (depth_ == 0) flush();
  }
  void flush() {
    to_.append(buffer_.data(), buffered_);
    buffered_ = 0;
  }

  std::string& to_;
  unsigned depth_ = 0;  // objects and arrays that have begun and not ended
  bool comma_ = false;  // the next value or name follows another one
  bool named_ = false;  // the next value belongs to the name just written
  std::size_t buffered_ = 0;
  std::array<char, 256> buffer_;  // [0, buffered_) comes after what `to_` has
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
