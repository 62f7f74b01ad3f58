#pragma once

#include <string>

#include "eventstore/base/clock.h"

namespace cairn::api {

// Appends a moment as RFC 3339 wants it, in UTC, with all its microseconds: 2026-11-16T20:55:35.123456Z.
void append_time(std::string& to, Timestamp time);

}  // namespace cairn::api
