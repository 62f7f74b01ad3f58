#pragma once

#include <string>

#include "eventstore/base/error.h"

namespace cairn {

// What both daemons answer, the one that builds read models and the one that only reads them.
Error no_projection(const std::string& name);
Error projection_exists(const std::string& name);
Error own_projection(const std::string& name);    // one of the program's own, which nobody deploys or removes
Error rows_being_built(const std::string& name);  // for the first time

}  // namespace cairn
