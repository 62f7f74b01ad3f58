#pragma once

#include <string>

#include "upcasters/lua/script_error.h"

namespace cairn::cli {

// What the commands that deploy scripts say alike.

// Says what is wrong with a script that was not even sent, in the form a server would have said it; returns
// kExitNo.
int report_script_error(const ScriptError& error, bool json);

// "order: deployed as revision 2 (fingerprint abcd1234…)". `answer` is JSON as the server sent it.
std::string deployed_line(const std::string& name, const std::string& answer);

}  // namespace cairn::cli
