#include "tools/cli/serve/log_lines.h"

#include <fmt/format.h>

namespace cairn::cli {

LogEvent cannot_start_line(std::string_view reason) {
  return LogEvent(LogLevel::kError, "cannot-start", fmt::format("Cannot start: {}", reason))
      .with("error", reason);
}

LogEvent stopping_line(std::string_view signal) {
  return LogEvent(LogLevel::kInfo, "stopping", fmt::format("{} received, stopping", signal))
      .with("signal", signal);
}

LogEvent stopped_line(std::chrono::nanoseconds took) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
  return LogEvent(LogLevel::kInfo, "stopped", fmt::format("Stopped after {} ms", ms)).with("durationMs", ms);
}

LogEvent script_line(std::string_view text) {
  return LogEvent(LogLevel::kInfo, "script", fmt::format("script: {}", text)).with("text", text);
}

}  // namespace cairn::cli
