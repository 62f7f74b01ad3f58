#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cairn::cli {

// The heading of a table of events, as wide as `width` columns allow.
std::string event_heading(std::size_t width);

// One event as a line of that table: position, version, time, stream, type, and as much of the data as fits.
// A text that is not an event is shown unchanged.
std::string event_row(std::string_view event_json, std::size_t width);

}  // namespace cairn::cli
