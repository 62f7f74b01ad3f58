#pragma once

namespace cairn::api {

// What a token may do. No scope includes another: a token that appends and reads has both.
enum class Scope {
  kRead,    // every GET
  kAppend,  // appends of events
  kAdmin,   // every other change

  // No route needs these yet.
  kConsume,  // taking and settling the deliveries of consumers
  kLease,    // leases
  kQuery,    // SQL over read models
};

}  // namespace cairn::api
