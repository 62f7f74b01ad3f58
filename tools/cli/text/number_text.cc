#include "tools/cli/text/number_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace cairn::cli {

namespace {

// A number in a server's answer may be larger than an integer can hold.
double bounded(double number) { return std::isnan(number) ? 0 : std::clamp(number, 0.0, 1e15); }

std::string with_tenths(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", number);
  return text;
}

std::string two_units(std::uint64_t large, const char* large_unit, std::uint64_t small,
                      const char* small_unit) {
  std::string text = grouped(large) + " " + large_unit;
  if (small > 0) text += " " + std::to_string(small) + " " + small_unit;
  return text;
}

}  // namespace

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3;) {
    i -= 3;
    text.insert(i, ",");
  }
  return text;
}

std::string counted(std::uint64_t count, const std::string& one) {
  return grouped(count) + " " + one + (count == 1 ? "" : "s");
}

std::string rate_text(double per_second) {
  const double rate = bounded(per_second);
  return rate >= 10 || rate == 0 ? grouped(static_cast<std::uint64_t>(rate)) : with_tenths(rate);
}

std::string duration_text(double seconds) {
  const double rounded = std::round(bounded(seconds));
  if (rounded < 10) return with_tenths(bounded(seconds)) + " s";
  const auto whole = static_cast<std::uint64_t>(rounded);
  if (whole < 60) return two_units(whole, "s", 0, "");
  if (whole < 60 * 60) return two_units(whole / 60, "min", whole % 60, "s");
  if (whole < 24 * 60 * 60) return two_units(whole / 3600, "h", whole / 60 % 60, "min");
  return two_units(whole / (24 * 3600), "d", whole / 3600 % 24, "h");
}

std::string byte_size(std::uint64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double amount = static_cast<double>(bytes);
  const char* unit = "";
  for (const char* next : {"KiB", "MiB", "GiB", "TiB", "PiB"}) {
    if (amount < 1024) break;
    amount /= 1024;
    unit = next;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", amount, unit);
  return text;
}

}  // namespace cairn::cli
