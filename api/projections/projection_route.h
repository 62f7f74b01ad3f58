#pragma once

#include "api/http/router.h"
#include "api/projections/projection_service.h"
#include "api/serving/store_slot.h"

namespace cairn::api {

using ProjectionHandler = void (*)(ProjectionService& service, const HttpRequest& request,
                                   const Responder& respond);

// A route that needs the projections. The client is told when there are none yet, and when this server has
// them turned off. A token that is limited to categories is refused: rows are made of events of any category,
// and so are the keys and the messages that everything else about a projection may quote.
RouteHandler with_projections(const StoreSlot& slot, ProjectionHandler handle);

}  // namespace cairn::api
