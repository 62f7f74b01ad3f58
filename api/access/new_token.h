#pragma once

#include <string>
#include <string_view>

#include "eventstore/base/result.h"

namespace cairn::api {

// `prefix` and 43 characters of base64url for 32 random bytes: a secret, of which the server stores only the
// hash. kIo when the operating system has no random bytes.
Result<std::string> new_secret(std::string_view prefix);

// A new token, which is shown once. Its prefix `cairn_` lets people and secret scanners recognise it.
Result<std::string> new_token();

}  // namespace cairn::api
