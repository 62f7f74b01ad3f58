#pragma once

#include <string>

#include "api/serving/store_slot.h"

namespace cairn::api {

class Metrics;
class NewsBell;

// What becomes of events whose type has no schema.
enum class SchemaPolicy {
  kRequired,  // they are refused
  kOptional,  // their data is free JSON
};

// What the routes answer from. The references outlive the routes.
struct RouteContext {
  const StoreSlot& store;
  NewsBell& news;
  Metrics& metrics;
  SchemaPolicy schemas = SchemaPolicy::kRequired;
  std::string version;  // of the program
};

}  // namespace cairn::api
