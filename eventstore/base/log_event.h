#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace cairn {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };

std::string_view to_string(LogLevel level);  // "debug", "info", "warning", "error"

// A value in a line of the log, with the name that metrics and JSON use for it.
struct LogField {
  std::string_view name;
  std::variant<std::string, std::uint64_t, double> value;
};

// A line of the log: `code` names what happened and does not change, so that programs may look for it; the
// message is a sentence that has the values too. The writer of the line escapes control characters and bounds
// the length, so texts of clients and scripts go in as they are.
//
//   log_to(sink, LogEvent(LogLevel::kWarning, "slow-commit", fmt::format("A commit took {} ms.", ms))
//                    .with("durationMs", ms));
//
// REQUIRES: `code` and the names of fields are literals. docs/operations.md lists the codes, which a test
// compares with the sources: so `code` stands behind the level on the same line.
struct LogEvent {
  LogEvent(LogLevel event_level, std::string_view event_code, std::string text)
      : level(event_level), code(event_code), message(std::move(text)) {}

  LogLevel level;
  std::string_view code;
  std::string message;
  std::vector<LogField> fields;

  template <typename Value>
  LogEvent&& with(std::string_view name, Value&& value) && {
    add(name, std::forward<Value>(value));
    return std::move(*this);
  }

  template <typename Value>
  void add(std::string_view name, Value&& value) {
    if constexpr (std::floating_point<std::remove_cvref_t<Value>>) {
      fields.push_back({name, static_cast<double>(value)});
    } else if constexpr (std::integral<std::remove_cvref_t<Value>>) {
      fields.push_back({name, static_cast<std::uint64_t>(value)});
    } else {
      fields.push_back({name, std::string(std::forward<Value>(value))});
    }
  }
};

// Where lines of the log go. Called from any thread, also from those that serve requests and from the writer
// thread: must not block.
using LogSink = std::function<void(const LogEvent&)>;

inline void log_to(const LogSink& sink, const LogEvent& event) {
  if (sink) sink(event);
}

}  // namespace cairn
