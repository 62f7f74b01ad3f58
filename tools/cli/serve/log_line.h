#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/http/access_record.h"
#include "eventstore/base/clock.h"
#include "eventstore/base/log_event.h"

namespace cairn::cli {

enum class LogFormat { kText, kJson };

// A text longer than this, in bytes, is cut: a message, or a field.
inline constexpr std::size_t kLogTextBytesMax = 4'096;

// The line about an event, with "\n": a sentence behind time and level, or a JSON object with all fields.
// Control characters are escaped, so that a text of a client or a script cannot forge a line.
std::string log_line(const LogEvent& event, Timestamp now, LogFormat format, bool colour = false);

// The line about a request, with "\n": the Common Log Format with the time taken in seconds and the request id
// behind it, or a JSON object.
std::string access_line(const api::AccessRecord& record, Timestamp now, LogFormat format);

// The same request as a line of the log itself.
LogEvent access_event(const api::AccessRecord& record);

}  // namespace cairn::cli
