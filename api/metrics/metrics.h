#pragma once

#include <memory>
#include <string>

#include "api/http/request_observer.h"
#include "eventstore/event_store.h"
#include "eventstore/options.h"
#include "projections/aggregates/aggregate_states.h"
#include "projections/daemon/projection_daemon.h"
#include "schemaregistry/registry/schema_registry.h"
#include "upcasters/definitions/upcasters.h"

namespace cairn::api {

// What became of an upcaster that somebody wanted to deploy.
enum class DeployResult { kInstalled, kUnchanged, kDryRun, kRefused };

// What the server counts, for Prometheus. Any thread.
class Metrics final : public RequestObserver {
 public:
  Metrics();
  ~Metrics() override;

  void connection_opened() override;
  void connection_closed() override;
  void answered(const Route* route, int status, std::chrono::nanoseconds took) override;

  // For StoreOptions::on_commit.
  void committed(const CommitReport& report);

  // An event could not be had in the shape that was wanted.
  void shape_failed();
  void deployed(DeployResult result);

  // Everything, in Prometheus's text format. Numbers of what is nullptr are left out.
  std::string text(const EventStore* store, SchemaRegistry* registry = nullptr,
                   const Upcasters* upcasters = nullptr, AggregateStates* states = nullptr,
                   const ProjectionDaemon* projections = nullptr) const;

 private:
  struct Instruments;
  std::unique_ptr<Instruments> instruments_;
};

}  // namespace cairn::api
