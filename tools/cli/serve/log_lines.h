#pragma once

#include <chrono>
#include <string_view>

#include "eventstore/base/log_event.h"

namespace cairn::cli {

// The lines that the server and `cairn project` have in common.
LogEvent cannot_start_line(std::string_view reason);
LogEvent stopping_line(std::string_view signal);
LogEvent stopped_line(std::chrono::nanoseconds took);
LogEvent script_line(std::string_view text);  // what a script logged

}  // namespace cairn::cli
