#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/serving/store_slot.h"
#include "eventstore/base/result.h"

namespace cairn::api {

class Metrics;
class FollowerWakeups;
class Tickets;

// The treatment of events whose type has no schema.
enum class SchemaPolicy {
  kRequired,  // they are refused
  kOptional,  // their data is any JSON
};

// What a reload has put in force.
struct Reloaded {
  std::optional<std::size_t> tokens;  // how many; nullopt when the server has no token file
  bool certificate = false;
};

// The objects that routes use. The references outlive the routes.
struct RouteContext {
  const StoreSlot& store;
  FollowerWakeups& wakeups;
  Metrics& metrics;
  SchemaPolicy schemas = SchemaPolicy::kRequired;
  std::string version;                          // of the program
  std::string data = {};                        // the data folder
  std::vector<std::string> disk_distrust = {};  // why its disk may lose what it has synced
  // Reads tokens and certificate again; when it fails nothing has changed. Called after `store` was set, from
  // any thread.
  std::function<Result<Reloaded>()> reload = {};
  // That POST /tickets issues. nullptr only where no request is answered.
  Tickets* tickets = nullptr;
};

}  // namespace cairn::api
