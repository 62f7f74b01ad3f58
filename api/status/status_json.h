#pragma once

#include <string>

#include "api/status/server_status.h"

namespace cairn::api {

// The status as docs/http.md describes it, with what attention_of() says. What the server does not know, and what
// a client may not know, is null: the fields are always the same.
std::string to_json(const ServerStatus& status);

}  // namespace cairn::api
