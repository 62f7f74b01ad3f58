#pragma once

#include <string>

#include "eventstore/base/log_event.h"

namespace CLI {
class App;
}

namespace cairn::cli {

// Logs at the start which configuration file was read, if any, and a warning for each variable CAIRN_… that
// nothing reads. `app` is the program.
void log_configuration(CLI::App& app, const std::string& file, const LogSink& log);

}  // namespace cairn::cli
