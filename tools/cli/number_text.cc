#include "tools/cli/number_text.h"

#include <cstdio>

namespace cairn::cli {

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3;) {
    i -= 3;
    text.insert(i, ",");
  }
  return text;
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
