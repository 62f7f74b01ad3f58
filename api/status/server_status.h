#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/metrics/recent_activity.h"
#include "api/status/growth.h"
#include "eventstore/queries.h"
#include "projections/projection_status.h"

namespace cairn::api {

struct DiskSpace {
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;  // that the server may use
};

// The state of a server when it was asked for. A value; GET /status is its JSON.
struct ServerStatus {
  std::string version;
  Timestamp now;
  Timestamp started_at;
  std::string store_id;
  std::string data;  // the folder; empty for a client that may not know it
  GlobalPosition head;
  StoreStats store;
  RecentActivity::Summary last_10_s;
  RecentActivity::Summary last_minute;
  IndexProgress index;
  std::optional<DiskSpace> disk;  // nullopt: the kernel does not say
  Growth growth;
  std::vector<std::string> distrust;  // why the disk may lose what it has synced
  std::size_t subjects = 0;
  std::size_t schemas = 0;
  std::size_t upcasters = 0;
  std::size_t aggregates = 0;
  std::optional<std::vector<ProjectionStatus>> projections;  // nullopt: there are none to show
};

}  // namespace cairn::api
