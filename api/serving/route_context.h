#pragma once

#include <string>

#include "api/serving/store_slot.h"

namespace cairn::api {

class Metrics;
class FollowerWakeups;

// The treatment of events whose type has no schema.
enum class SchemaPolicy {
  kRequired,  // they are refused
  kOptional,  // their data is any JSON
};

// The objects that routes use. The references outlive the routes.
struct RouteContext {
  const StoreSlot& store;
  FollowerWakeups& wakeups;
  Metrics& metrics;
  SchemaPolicy schemas = SchemaPolicy::kRequired;
  std::string version;  // of the program
};

}  // namespace cairn::api
