#pragma once

namespace cairn::api {

// What a token may do. No scope includes another: a token that appends and reads has both.
enum class Scope {
  kRead,    // every GET
  kAppend,  // appends of events
  kAdmin,   // every other change
};

}  // namespace cairn::api
