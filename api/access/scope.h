#pragma once

namespace cairn::api {

// What a token may do. None of them includes another: a token that appends and reads carries both.
enum class Scope {
  kRead,    // every GET
  kAppend,  // appends of events
  kAdmin,   // everything else that changes something
};

}  // namespace cairn::api
