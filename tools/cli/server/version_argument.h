#pragma once

#include <string>

namespace cairn::cli {

// What speaks against this text as the version of a subject, a number or "latest", for the parser to show; ""
// for nothing.
std::string check_version_argument(const std::string& text);

}  // namespace cairn::cli
