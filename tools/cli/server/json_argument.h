#pragma once

#include <string>

#include "eventstore/base/result.h"

namespace cairn::cli {

// The JSON an option names: the text itself, @FILE for what a file holds, - for what comes on stdin. As it
// was written, with every digit. kInvalidArgument when there is none or it is no JSON; `option` is for the
// message.
Result<std::string> json_argument(const std::string& option, const std::string& argument);

}  // namespace cairn::cli
