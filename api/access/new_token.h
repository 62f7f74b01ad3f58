#pragma once

#include <string>

#include "eventstore/base/result.h"

namespace cairn::api {

// A new token: `cairn_` and 43 characters of base64url for 32 random bytes. It is a secret: it is shown once,
// and only its hash is stored. kIo when the operating system has no random bytes.
Result<std::string> new_token();

}  // namespace cairn::api
