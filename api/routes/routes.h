#pragma once

#include <string>
#include <vector>

#include "api/events/event_schemas.h"
#include "api/events/news_bell.h"
#include "api/http/router.h"
#include "api/metrics/metrics.h"
#include "api/routes/store_slot.h"

namespace cairn::api {

// What the routes answer from. The references outlive the routes.
struct RouteContext {
  const StoreSlot& store;
  NewsBell& news;
  Metrics& metrics;
  SchemaPolicy schemas = SchemaPolicy::kRequired;
  std::string version;  // of the program
};

// Every path the server has. A new group of routes is a function of its own that is called here.
std::vector<Route> all_routes(const RouteContext& context);

// /health: the process is alive. /ready: the store is recovered and serves, with its head. /version.
// /metrics. /openapi.json.
std::vector<Route> service_routes(const RouteContext& context);

// Appends to one stream and to several.
std::vector<Route> append_routes(const RouteContext& context);

// What is known of one stream, and of those there are.
std::vector<Route> stream_routes(const RouteContext& context);

// Events of one stream and of the whole log: by page, as lines, and live.
std::vector<Route> event_routes(const RouteContext& context);

// What brings old events into new shapes: deployed and listed.
std::vector<Route> upcaster_routes(const RouteContext& context);

// What makes states out of events: deployed and listed, and snapshots for all streams of a category.
std::vector<Route> aggregate_routes(const RouteContext& context);

// The state of a stream, now or then.
std::vector<Route> state_routes(const RouteContext& context);

// The snapshots of one stream.
std::vector<Route> snapshot_routes(const RouteContext& context);

// What makes rows out of events: deployed, listed and removed.
std::vector<Route> projection_routes(const RouteContext& context);

// Building rows anew, stopping and going on, and comparing rows with the log.
std::vector<Route> projection_control_routes(const RouteContext& context);

// The rows that projections make.
std::vector<Route> row_routes(const RouteContext& context);

// Events that projections could not apply, and those that wait behind them.
std::vector<Route> parked_routes(const RouteContext& context);

}  // namespace cairn::api
