#pragma once

#include <string>

#include "eventstore/base/error.h"

namespace cairn {

// What ReadModels answer, those that this process builds and those that it only reads.
Error no_projection(const std::string& name);
Error projection_exists(const std::string& name);
Error native_projection(const std::string& name);  // it is neither deployed nor removed through the log
Error rows_being_built(const std::string& name);   // for the first time

// A command for read models that another process builds: there is no channel to that process.
Error built_by_another_process();

}  // namespace cairn
