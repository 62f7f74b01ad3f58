#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/base/clock.h"

namespace cairn::api {

// Writes a JSON object behind what `to` has, member by member, in the order they are given. Belongs to one
// thread. REQUIRES: names need no escapes; `to` outlives it.
class JsonObject {
 public:
  explicit JsonObject(std::string& to) : to_(to) { to_ += '{'; }

  void text(std::string_view name, std::string_view value);
  void number(std::string_view name, std::uint64_t value);
  // What there is none of is null.
  void text_or_null(std::string_view name, const std::optional<std::string>& value);
  void number(std::string_view name, std::optional<std::uint64_t> value);
  void flag(std::string_view name, bool value);
  void time(std::string_view name, Timestamp value);
  void null(std::string_view name) { raw(name, "null"); }

  // To three decimals: seconds, and things per second, are not known better. What is no number is null.
  void measure(std::string_view name, std::optional<double> value);

  // The value is JSON already.
  void raw(std::string_view name, std::string_view json);

  // The value is what the caller appends next.
  void begin(std::string_view name);

  void end() { to_ += '}'; }

 private:
  std::string& to_;
  bool first_ = true;
};

}  // namespace cairn::api
