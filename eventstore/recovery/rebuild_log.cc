#include "eventstore/recovery/rebuild_log.h"

#include <fmt/format.h>

#include <algorithm>

namespace cairn {

std::chrono::milliseconds RebuildLog::since(Timestamp time) const {
  return std::chrono::milliseconds(std::max<std::int64_t>(0, clock_().micros - time.micros) / 1'000);
}

void RebuildLog::begin(const std::string& why, GlobalPosition done, GlobalPosition total) {
  began_ = last_line_ = clock_();
  from_ = done;
  total_ = total;
  log_to(sink_,
         LogEvent(LogLevel::kWarning, "index-rebuild-began",
                  fmt::format("{}: reading the log from position {} to {}", why, done.value + 1, total.value))
             .with("position", done.value)
             .with("head", total.value));
}

void RebuildLog::progress(GlobalPosition done) {
  if (!began_ || since(last_line_) < kEvery) return;
  last_line_ = clock_();
  const auto ms = since(*began_).count();
  log_to(sink_, LogEvent(LogLevel::kInfo, "index-rebuild-progress",
                         fmt::format("The index is being built: position {} of {} after {} s", done.value,
                                     total_.value, ms / 1'000))
                    .with("position", done.value)
                    .with("head", total_.value)
                    .with("durationMs", ms));
}

void RebuildLog::end() {
  if (!began_) return;
  const auto ms = since(*began_).count();
  began_.reset();
  log_to(sink_, LogEvent(LogLevel::kInfo, "index-rebuild-ended",
                         fmt::format("The index is complete: {} events read in {} ms, up to position {}",
                                     total_.value - from_.value, ms, total_.value))
                    .with("events", total_.value - from_.value)
                    .with("position", total_.value)
                    .with("durationMs", ms));
}

}  // namespace cairn
