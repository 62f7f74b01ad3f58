#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eventstore/base/clock.h"

namespace cairn {

// Appends a moment as RFC 3339 wants it, in UTC, with all its microseconds: 2026-11-16T20:55:35.123456Z.
void append_time(std::string& to, Timestamp time);

// Reads a moment as RFC 3339 has it: with or without a fraction of a second, in UTC or with an offset, as in
// 2026-11-16T21:55:35.123456+01:00. What is smaller than a microsecond is cut off. Nullopt for anything else,
// also for days that no calendar has.
std::optional<Timestamp> parse_time(std::string_view text);

}  // namespace cairn
