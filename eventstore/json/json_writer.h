#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/base/clock.h"

namespace cairn {

// Appends a number in decimal.
void append_number(std::string& to, std::uint64_t number);

// Writes JSON behind what `to` has: objects, arrays and values in the order of the calls. Commas, quotes and
// escapes are the writer's; the pairing of begin and end is the caller's. Belongs to one thread.
//
//   JsonWriter json(text);
//   json.begin_object();
//   json.text("stream", name);
//   json.begin_array("tags");
//   for (const auto& tag : tags) json.text(tag);
//   json.end_array();
//   json.end_object();              {"stream":"order-1","tags":["a","b"]}
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
  void number(std::string_view name, std::uint64_t value) { key(name), number(value); }
  void number(std::string_view name, std::optional<std::uint64_t> value);
  void number_or_null(std::string_view name, std::uint64_t value);  // 0 is null
  void flag(std::string_view name, bool value) { raw(name, value ? "true" : "false"); }
  void time(std::string_view name, Timestamp value);
  void null(std::string_view name) { raw(name, "null"); }
  // Rounded to three decimals, as seconds and rates are not known better. Null if it is not finite.
  void measure(std::string_view name, std::optional<double> value);
  // `json` is a JSON value already.
  void raw(std::string_view name, std::string_view json) { key(name), raw(json); }

  // Elements of an array, or the value behind key().
  void text(std::string_view value);
  void number(std::uint64_t value);
  void raw(std::string_view json);

  // Announces a member, or an element, whose value the caller appends to `to` itself.
  void key(std::string_view name);
  void element() { separate(); }

 private:
  // Puts a comma in front of a value that follows another one. A value behind its name has none.
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

  std::string& to_;
  bool comma_ = false;  // the next value or name follows another one
  bool named_ = false;  // the next value belongs to the name just written
};

}  // namespace cairn
