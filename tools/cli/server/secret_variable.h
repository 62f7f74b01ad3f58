#pragma once

#include <optional>
#include <string>

#include "eventstore/base/result.h"

namespace cairn::cli {

// A secret of the environment.
struct SecretVariable {
  std::string variable;  // "CAIRN_TOKEN", or "CAIRN_TOKEN_FILE" when it comes from the file named there
  std::string text;      // without line feeds and spaces at its end
};

// The value of the variable `name`, or the content of the file that `name`_FILE names; nullopt when neither is
// set. An empty variable is not set. Warns on stderr when other users may read the file. kInvalidArgument when
// both are set, or the file cannot be read or is empty.
Result<std::optional<SecretVariable>> secret_variable(const std::string& name);

// The same for a file. `place` is for messages: "--token-file".
Result<std::string> secret_in(const std::string& file, const std::string& place);

}  // namespace cairn::cli
