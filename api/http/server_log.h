#pragma once

#include "eventstore/base/log_event.h"

namespace cairn::api {

// The log of the server in this process. Routes report failures from many places, most of which have neither an
// owner nor options of their own; so this is one for the process, as the standard streams are.

// Where the lines go; without a call nowhere. REQUIRES: no server runs.
void set_server_log(LogSink sink);

// Writes a line, at most one a minute of each code: clients repeat requests that fail. Thread-safe.
void server_log(LogEvent event);

// Writes a line whose caller limits how often. Thread-safe.
void write_server_log(const LogEvent& event);

}  // namespace cairn::api
