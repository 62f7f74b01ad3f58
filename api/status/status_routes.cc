#include "api/status/status_routes.h"

#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "api/access/token_file.h"
#include "api/aggregates/aggregate_service.h"
#include "api/metrics/metrics.h"
#include "api/projections/projection_service.h"
#include "api/serving/query_reader.h"
#include "api/serving/route_tools.h"
#include "api/status/status_json.h"
#include "eventstore/event_store.h"
#include "schemaregistry/registry/schema_registry.h"
#include "upcasters/event_shapes.h"

namespace cairn::api {

namespace {

constexpr std::size_t kShortTimeSeconds = 10;

// What does not change while the server runs, and where the rest comes from.
struct StatusSource {
  const StoreSlot& slot;
  const Metrics& metrics;
  ServerStatus begin;
};

std::optional<DiskSpace> disk_space(const std::string& folder) {
  std::error_code error;
  const auto space = std::filesystem::space(folder, error);
  if (error) return std::nullopt;
  return DiskSpace{.total_bytes = space.capacity, .free_bytes = space.available};
}

// What is damaged or cannot be read is left out: a status must say what it can.
ServerStatus gather(const StatusSource& source, EventStore& store, bool all_categories) {
  ServerStatus status = source.begin;
  status.now = system_time();
  status.store_id = store.store_id();
  status.head = store.head();
  status.store = store.stats();
  status.last_10_s = source.metrics.recent(kShortTimeSeconds);
  status.last_minute = source.metrics.recent(RecentActivity::kSecondsMax);
  status.index = store.index_progress();
  status.disk = disk_space(status.data);
  if (const auto recent = recent_events(store, status.now); recent.ok() && status.disk) {
    status.growth = growth_of(*recent, status.head.value, status.store.log_bytes + status.store.index_bytes,
                              status.disk->free_bytes);
  }
  const RegistryCounts counts = source.slot.registry()->counts();
  status.subjects = counts.subjects;
  status.schemas = counts.schemas;
  status.upcasters = source.slot.shapes()->upcasters().all().size();
  status.aggregates = source.slot.aggregates()->states().aggregates().all().size();
  // As for /metrics: names and messages of projections may tell about categories that the token does not reach.
  if (!all_categories) {
    status.data.clear();
    status.distrust.clear();
  } else if (ProjectionService* projections = source.slot.projections(); projections != nullptr) {
    status.projections = projections->models().list();
  }
  return status;
}

}  // namespace

std::vector<Route> status_routes(const RouteContext& context) {
  const auto source = std::make_shared<const StatusSource>(StatusSource{
      .slot = context.store,
      .metrics = context.metrics,
      .begin = {.version = context.version,
                .now = {},
                .started_at = system_time(),
                .store_id = {},
                .data = context.data,
                .head = {},
                .store = {},
                .last_10_s = {},
                .last_minute = {},
                .index = {},
                .disk = {},
                .growth = {},
                .distrust = context.disk_distrust,
                .projections = {}},
  });
  std::vector<Route> routes;
  routes.push_back({"GET", "/status",
                    with_store(context.store, [source](EventStore& store, const HttpRequest& request,
                                                       const Responder& respond) {
                      QueryReader query(request);
                      if (refused(query.finish(), respond)) return;
                      const bool all_categories = request.token == nullptr || !request.token->categories;
                      respond(json_response(200, to_json(gather(*source, store, all_categories))));
                    })});
  routes.back().runs_on = RunsOn::kWorker;  // It reads the log, and waits for the locks of what it counts.
  return routes;
}

}  // namespace cairn::api
