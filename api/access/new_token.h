#pragma once

#include <string>

#include "eventstore/base/result.h"

namespace cairn::api {

// A fresh token: `cairn_` and 43 characters of base64url for 32 random bytes. Who holds it is let in, so it
// is shown once and only its hash is kept. kIo when the system has no random bytes to give.
Result<std::string> new_token();

}  // namespace cairn::api
