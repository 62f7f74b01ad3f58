#include "eventstore/base/log_throttle.h"

#include <fmt/format.h>

namespace cairn {

std::string suppressed_text(std::uint64_t suppressed) {
  if (suppressed == 0) return "";
  return fmt::format(" ({} similar {} suppressed)", suppressed, suppressed == 1 ? "line" : "lines");
}

void add_suppressed(LogEvent& event, std::uint64_t suppressed) {
  if (suppressed == 0) return;
  event.message += suppressed_text(suppressed);
  event.add("suppressed", suppressed);
}

}  // namespace cairn
