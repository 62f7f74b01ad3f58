#pragma once

#include <vector>

#include "api/http/router.h"
#include "api/serving/route_context.h"

namespace cairn::api {

// The REST API of Confluent's schema registry, at the root of the server. Without data contracts: metadata,
// rules and tags have no paths.
std::vector<Route> registry_routes(const RouteContext& context);

// The routes by path.
std::vector<Route> subject_routes(const StoreSlot& slot);        // /subjects
Route register_route(const StoreSlot& slot);                     // POST /subjects/{subject}/versions
std::vector<Route> schema_routes(const StoreSlot& slot);         // /schemas
std::vector<Route> compatibility_routes(const StoreSlot& slot);  // /compatibility
std::vector<Route> setting_routes(const StoreSlot& slot);        // /config and /mode

// The registry as a whole: /, /contexts, /v1/metadata
std::vector<Route> registry_info_routes(const StoreSlot& slot, const std::string& version);

}  // namespace cairn::api
