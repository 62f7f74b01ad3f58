#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

namespace cairn {

// Appends a finite number in as few digits as give it back, always with a point or an exponent, so that it
// cannot be taken for a whole number.
inline void append_decimal(std::string& to, double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  const std::string_view written(digits, static_cast<std::size_t>(end - digits));
  to += written;
  if (written.find_first_of(".e") == std::string_view::npos) to += ".0";
}

}  // namespace cairn
