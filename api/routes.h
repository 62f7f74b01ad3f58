#pragma once

#include <string>
#include <vector>

#include "api/router.h"
#include "api/store_slot.h"

namespace cairn::api {

// What the routes answer from.
struct RouteContext {
  const StoreSlot& store;  // outlives the routes
  std::string version;     // of the program
};

// Every path the server has. A new group of routes is a function of its own that is called here.
std::vector<Route> all_routes(const RouteContext& context);

// /health: the process is alive. /ready: the store is recovered and serves, with its head. /version.
std::vector<Route> service_routes(const RouteContext& context);

}  // namespace cairn::api
