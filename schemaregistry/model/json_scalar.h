#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/json/json_cursor.h"

namespace cairn {

// JSON scalars, parsed for Avro. `raw` is the text of the value.

// An integer in the range of `Integer`; 1.0 and 1e3 are not integers.
template <typename Integer>
std::optional<Integer> whole_number(JsonKind kind, std::string_view raw) {
  Integer value = 0;
  if (kind != JsonKind::kNumber) return std::nullopt;
  const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (error != std::errc() || end != raw.data() + raw.size()) return std::nullopt;
  return value;
}

// The nearest representable number, or one of the strings "NaN", "Infinity" and "-Infinity"; nullopt for a
// number that is too large.
template <typename Float>
std::optional<Float> decimal_number(JsonKind kind, std::string_view raw) {
  if (kind == JsonKind::kString) {
    if (raw == "\"NaN\"") return std::numeric_limits<Float>::quiet_NaN();
    if (raw == "\"Infinity\"") return std::numeric_limits<Float>::infinity();
    if (raw == "\"-Infinity\"") return -std::numeric_limits<Float>::infinity();
    return std::nullopt;
  }
  if (kind != JsonKind::kNumber) return std::nullopt;
  Float value = 0;
  const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (error == std::errc::result_out_of_range) {
    // from_chars reports overflow and underflow alike; only strtod tells them apart, and underflow counts as
    // zero.
    const std::string text(raw);
    if constexpr (std::is_same_v<Float, float>) {
      value = std::strtof(text.c_str(), nullptr);
    } else {
      value = std::strtod(text.c_str(), nullptr);
    }
    return std::isinf(value) ? std::nullopt : std::optional(value);
  }
  return value;
}

// The bytes that a text of characters up to U+00FF encodes; nullopt when it has other characters. REQUIRES:
// it is valid UTF-8.
std::optional<std::string> bytes_of_text(std::string_view text);

}  // namespace cairn
