#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "eventstore/base/clock.h"

namespace cairn {

// A time in the format of RFC 3339, in UTC, with microseconds: 2026-11-16T20:55:35.123456Z.
std::array<char, 27> time_text(Timestamp time);

// Parses a time in the format of RFC 3339: with or without a fraction of a second, in UTC or with an offset,
// as in 2026-11-16T21:55:35.123456+01:00. Truncates to microseconds. Nullopt for anything else, including
// dates that do not exist.
std::optional<Timestamp> parse_time(std::string_view text);

}  // namespace cairn
