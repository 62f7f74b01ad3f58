#include "eventstore/json/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>

namespace cairn {

void JsonWriter::text_or_null(std::string_view name, const std::optional<std::string>& value) {
  if (!value) return null(name);
  text(name, *value);
}

void JsonWriter::number(std::string_view name, std::optional<std::uint64_t> value) {
  if (!value) return null(name);
  number(name, *value);
}

void JsonWriter::measure(std::string_view name, std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return null(name);
  std::array<char, 32> digits;
  const double rounded = std::round(*value * 1'000) / 1'000;
  raw(name, {digits.begin(), std::to_chars(digits.begin(), digits.end(), rounded).ptr});
}

}  // namespace cairn
