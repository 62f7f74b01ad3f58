#include "api/projections/json_object.h"

#include <charconv>
#include <cmath>

#include "api/events/event_json.h"
#include "api/events/time_text.h"
#include "eventstore/json/json_text.h"

namespace cairn::api {

void JsonObject::begin(std::string_view name) {
  if (!first_) to_ += ',';
  first_ = false;
  to_ += '"';
  to_ += name;
  to_ += "\":";
}

void JsonObject::text(std::string_view name, std::string_view value) {
  begin(name);
  append_json_string(to_, value);
}

void JsonObject::number(std::string_view name, std::uint64_t value) {
  begin(name);
  append_number(to_, value);
}

void JsonObject::text_or_null(std::string_view name, const std::optional<std::string>& value) {
  if (!value) return null(name);
  text(name, *value);
}

void JsonObject::number(std::string_view name, std::optional<std::uint64_t> value) {
  if (!value) return null(name);
  number(name, *value);
}

void JsonObject::flag(std::string_view name, bool value) { raw(name, value ? "true" : "false"); }

void JsonObject::time(std::string_view name, Timestamp value) {
  begin(name);
  to_ += '"';
  append_time(to_, value);
  to_ += '"';
}

void JsonObject::measure(std::string_view name, std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return null(name);
  begin(name);
  char digits[32];
  const double rounded = std::round(*value * 1'000) / 1'000;
  const auto end = std::to_chars(digits, digits + sizeof digits, rounded);
  to_.append(digits, end.ptr);
}

void JsonObject::raw(std::string_view name, std::string_view json) {
  begin(name);
  to_ += json;
}

}  // namespace cairn::api
