#pragma once

#include <string>
#include <vector>

#include "api/status/server_status.h"

namespace cairn::api {

// Something that a person should look at. `kind` is for programs: docs/http.md lists all of them.
struct Attention {
  std::string kind;
  std::string name;  // of the projection; empty for the server
  std::string text;  // one sentence, with the number and what to do
};

// Everything that needs a person, the disk first. Pure.
std::vector<Attention> attention_of(const ServerStatus& status);

}  // namespace cairn::api
