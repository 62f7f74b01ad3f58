#pragma once

#include <string>

#include "upcasters/lua/script_error.h"

namespace cairn::cli {

// Runs the script of an aggregate once, in the same sandbox as the server, to read its category. The error
// has the file and, if known, the line.
ScriptResult<std::string> aggregate_category(const std::string& source, const std::string& file);

}  // namespace cairn::cli
