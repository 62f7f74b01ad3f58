#include "tools/cli/serve/log_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <variant>

#include "eventstore/base/time_text.h"
#include "eventstore/json/json_writer.h"
#include "tools/cli/text/terminal.h"

namespace cairn::cli {

namespace {

// 2026-11-16T20:55:35.123Z
std::string utc_time(Timestamp time) {
  const auto text = time_text(time);
  return std::string(text.data(), 23) + "Z";
}

// [16/Nov/2026:20:55:35 +0000]
std::string common_time(Timestamp time) {
  static constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::time_t seconds = time.micros / 1'000'000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  return fmt::format("[{:02}/{}/{}:{:02}:{:02}:{:02} +0000]", parts.tm_mday,
                     kMonths.substr(static_cast<std::size_t>(parts.tm_mon) * 3, 3), parts.tm_year + 1900,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

// At most kLogTextBytesMax of it, and no part of a character of UTF-8 at the end.
std::string cut(std::string_view text) {
  if (text.size() <= kLogTextBytesMax) return std::string(text);
  std::size_t end = kLogTextBytesMax;
  while (end > kLogTextBytesMax - 4 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

// Escapes what moves the cursor of a terminal: the control characters of ASCII, and those of Latin 1 in UTF-8.
// Quotes and backslashes too where the text stands between quotes.
std::string clean(std::string_view text, bool quoted = false) {
  std::string cleaned;
  cleaned.reserve(text.size());
  const auto escape = [&](unsigned char byte) { cleaned += fmt::format("\\x{:02x}", byte); };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const unsigned char next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : '\0';
    if (byte < 0x20 || byte == 0x7f || (quoted && (byte == '"' || byte == '\\'))) {
      escape(byte);
    } else if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {
      escape(byte);
      escape(next);
      ++i;
    } else {
      cleaned += text[i];
    }
  }
  return cleaned;
}

Colour colour_of(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
    case LogLevel::kInfo:
      return Colour::kGreen;
    case LogLevel::kWarning:
      return Colour::kYellow;
    case LogLevel::kError:
      return Colour::kRed;
  }
  return Colour::kRed;
}

void append_field(JsonWriter& json, const LogField& field) {
  if (const auto* text = std::get_if<std::string>(&field.value)) {
    json.text(field.name, cut(*text));
  } else if (const auto* number = std::get_if<std::uint64_t>(&field.value)) {
    json.number(field.name, *number);
  } else {
    json.measure(field.name, std::get<double>(field.value));
  }
}

double milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

std::string_view or_dash(std::string_view text) { return text.empty() ? "-" : text; }

}  // namespace

std::string log_line(const LogEvent& event, Timestamp now, LogFormat format, bool colour) {
  if (format == LogFormat::kText) {
    return fmt::format("{} {} {}\n", utc_time(now),
                       coloured(to_string(event.level), colour_of(event.level), colour),
                       clean(cut(event.message)));
  }
  return json_object([&](JsonWriter& json) {
           json.plain_text("time", utc_time(now));
           json.plain_text("level", to_string(event.level));
           json.plain_text("code", event.code);
           json.text("message", cut(event.message));
           for (const LogField& field : event.fields) append_field(json, field);
         }) +
         "\n";
}

std::string access_line(const api::AccessRecord& record, Timestamp now, LogFormat format) {
  if (format == LogFormat::kJson) {
    return json_object([&](JsonWriter& json) {
             json.plain_text("time", utc_time(now));
             json.text("remote", record.remote);
             json.text("token", record.token);
             json.text("method", record.method);
             json.text("path", record.target);
             json.number("status", static_cast<std::uint64_t>(record.status));
             json.number("bytes", record.bytes);
             json.measure("durationMs", milliseconds(record.took));
             json.text("requestId", record.request_id);
           }) +
           "\n";
  }
  std::string token = clean(or_dash(record.token), true);
  std::replace(token.begin(), token.end(), ' ', '_');  // the fields are separated by spaces
  return fmt::format(
      "{} - {} {} \"{} {} HTTP/1.1\" {} {} {:.6f} \"{}\"\n", or_dash(record.remote), token, common_time(now),
      clean(or_dash(record.method), true), clean(or_dash(record.target), true), record.status, record.bytes,
      std::chrono::duration<double>(record.took).count(), clean(or_dash(record.request_id), true));
}

LogEvent access_event(const api::AccessRecord& record) {
  LogEvent event(
      LogLevel::kInfo, "access",
      fmt::format("{} {} {} {}: {}, {} bytes in {:.3f} ms, request {}", or_dash(record.remote),
                  or_dash(record.token), or_dash(record.method), or_dash(record.target), record.status,
                  record.bytes, milliseconds(record.took), or_dash(record.request_id)));
  event.add("remote", record.remote);
  event.add("token", record.token);
  event.add("method", record.method);
  event.add("path", record.target);
  event.add("status", record.status);
  event.add("bytes", record.bytes);
  event.add("durationMs", milliseconds(record.took));
  event.add("requestId", record.request_id);
  return event;
}

}  // namespace cairn::cli
