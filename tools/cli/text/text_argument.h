#pragma once

#include <string>

#include "eventstore/base/result.h"

namespace cairn::cli {

// What an option gives: the text itself, @FILE for the content of a file, - for stdin. kInvalidArgument when
// the file cannot be read.
Result<std::string> bytes_argument(const std::string& option, const std::string& argument);

// The same for JSON. The text stays as it was written, with every digit. kInvalidArgument when it is not
// JSON, too.
Result<std::string> json_argument(const std::string& option, const std::string& argument);

}  // namespace cairn::cli
