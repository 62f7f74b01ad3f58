#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "api/http/request_observer.h"
#include "api/metrics/recent_activity.h"
#include "eventstore/event_store.h"
#include "eventstore/options.h"
#include "projections/aggregates/aggregate_states.h"
#include "projections/daemon/read_models.h"
#include "schemaregistry/registry/schema_registry.h"
#include "upcasters/definitions/upcasters.h"

namespace cairn::api {

// The outcome of a request to deploy an upcaster.
enum class DeployResult { kInstalled, kUnchanged, kDryRun, kRefused };

// Which log lost lines.
enum class DroppedLog { kServer, kAccess };

// What a server is, for its metrics.
struct ServerFacts {
  std::string version = {};         // of the program; empty: no cairn_build_info
  std::filesystem::path data = {};  // the data folder; empty: no metrics of its disk
};

// The server's metrics, for Prometheus. Thread-safe.
class Metrics final : public RequestObserver {
 public:
  explicit Metrics(ServerFacts facts = {});
  ~Metrics() override;

  void connection_opened() override;
  void connection_closed() override;
  void cancelled() override;
  void stream_closed() override;
  void answered(const Route* route, int status, std::chrono::nanoseconds took) override;

  // For StoreOptions::on_commit.
  void committed(const CommitReport& report);

  // Lines of the log that were dropped because they could not be written in time.
  void log_lines_dropped(DroppedLog log, std::uint64_t lines);

  // For DaemonOptions::on_rows_committed.
  void rows_committed(std::chrono::microseconds age);

  // What was committed in the last `seconds`, at most RecentActivity::kSecondsMax.
  RecentActivity::Summary recent(std::size_t seconds) const;

  // An event could not be brought to the schema version that a reader asked for.
  void shape_failed();
  void deployed(DeployResult result);

  // All metrics, in Prometheus's text format. The metrics of an argument that is nullptr are left out.
  std::string text(const EventStore* store, SchemaRegistry* registry = nullptr,
                   const Upcasters* upcasters = nullptr, AggregateStates* states = nullptr,
                   const ReadModels* projections = nullptr) const;

 private:
  struct Instruments;
  const ServerFacts facts_;
  std::unique_ptr<Instruments> instruments_;
};

}  // namespace cairn::api
