#pragma once

#include <string>

#include "eventstore/base/error.h"
#include "eventstore/base/log_throttle.h"

namespace cairn {

// What ReadModels answer, those that this process builds and those that it only reads.
Error no_projection(const std::string& name);
Error projection_exists(const std::string& name);
Error native_projection(const std::string& name);  // it is neither deployed nor removed through the log
Error rows_being_built(const std::string& name);   // for the first time

// A command for read models that another process builds: there is no channel to that process.
Error built_by_another_process();

// The definitions could not be read from the log, which is tried every second.
void log_unread_definitions(const LogSink& sink, const Error& error, LogThrottle& throttle, Timestamp now);

}  // namespace cairn
