#include "tools/bench/figures.h"

#include <array>
#include <cstdio>

namespace cairn::bench {
namespace {

std::string with_unit(double value, const char* unit) {
  std::array<char, 64> text;
  const int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
  std::snprintf(text.data(), text.size(), "%.*f%s", decimals, value, unit);
  return text.data();
}

}  // namespace

std::string rate_text(double per_second) {
  if (per_second >= 1e6) return with_unit(per_second / 1e6, " M/s");
  if (per_second >= 1e4) return with_unit(per_second / 1e3, " k/s");
  return with_unit(per_second, "/s");
}

std::string micros_text(double microseconds) {
  if (microseconds >= 1e6) return with_unit(microseconds / 1e6, " s");
  if (microseconds >= 1e3) return with_unit(microseconds / 1e3, " ms");
  return with_unit(microseconds, " µs");
}

std::string bytes_text(double bytes) {
  if (bytes >= 1024.0 * 1024 * 1024) return with_unit(bytes / (1024.0 * 1024 * 1024), " GiB");
  return with_unit(bytes / (1024.0 * 1024), " MiB");
}

std::string ratio_text(double ratio) { return with_unit(ratio, "x"); }

}  // namespace cairn::bench
