#pragma once

#include <string>

#include "upcasters/lua/script_error.h"

namespace cairn::cli {

// The common messages of the commands that deploy scripts.

// Reports an error of a script that was not sent, in the form of a server's refusal; returns kExitNo.
int report_script_error(const ScriptError& error, bool json);

// "order: deployed as revision 2 (fingerprint abcd1234…)". `answer` is JSON as the server sent it.
std::string deployed_line(const std::string& name, const std::string& answer);

}  // namespace cairn::cli
