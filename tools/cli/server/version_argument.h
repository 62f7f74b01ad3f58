#pragma once

#include <string>

namespace cairn::cli {

// Checks the version of a subject, a number or "latest", for CLI::Validator: returns the error message, or ""
// when the text is valid.
std::string check_version_argument(const std::string& text);

}  // namespace cairn::cli
