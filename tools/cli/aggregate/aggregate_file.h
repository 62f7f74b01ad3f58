#pragma once

#include <string>
#include <variant>

#include "upcasters/lua/script_error.h"

namespace cairn::cli {

// Runs the script of an aggregate once, in the sandbox that the server has too, to learn which category it is
// for. The error has its file and, where there is one, its line.
std::variant<std::string, ScriptError> aggregate_category(const std::string& source, const std::string& file);

}  // namespace cairn::cli
