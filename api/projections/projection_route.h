#pragma once

#include <functional>

#include "api/http/router.h"
#include "api/projections/projection_service.h"
#include "api/serving/store_slot.h"

namespace cairn::api {

using ProjectionHandler =
    std::function<void(ProjectionService& service, const HttpRequest& request, const Responder& respond)>;

// A route that needs the projections. Answers 503 while the store recovers and when the server runs without
// projections. Refuses a token that is limited to categories: rows, keys and error messages of a projection
// may contain data of any category.
RouteHandler with_projections(const StoreSlot& slot, ProjectionHandler handle);

}  // namespace cairn::api
