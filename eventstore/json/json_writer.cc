#include "eventstore/json/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>

#include "eventstore/base/time_text.h"

namespace cairn {

void JsonWriter::text_or_null(std::string_view name, const std::optional<std::string>& value) {
  if (!value) return null(name);
  text(name, *value);
}

void JsonWriter::number(std::string_view name, std::optional<std::uint64_t> value) {
  if (!value) return null(name);
  number(name, *value);
}

void JsonWriter::number_or_null(std::string_view name, std::uint64_t value) {
  if (value == 0) return null(name);
  number(name, value);
}

void JsonWriter::time(std::string_view name, Timestamp value) {
  key(name);
  separate();
  to_ += '"';
  append_time(to_, value);
  to_ += '"';
}

void JsonWriter::measure(std::string_view name, std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return null(name);
  key(name);
  separate();
  std::array<char, 32> digits{};
  const double rounded = std::round(*value * 1'000) / 1'000;
  to_.append(digits.begin(), std::to_chars(digits.begin(), digits.end(), rounded).ptr);
}

}  // namespace cairn
