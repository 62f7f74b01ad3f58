#pragma once

#include <cstdint>
#include <string_view>

#include "schemaregistry/codec/decode_plan.h"
#include "schemaregistry/codec/run_plan.h"
#include "schemaregistry/registry/stored_schema.h"

namespace cairn {

// An event, or a part of one, in the shape that was asked for. What is not here is as it was stored. The
// views live as long as whatever handed it out says.
struct ShapedEvent {
  std::string_view type;                 // may be another than the stored one
  const StoredSchema* schema = nullptr;  // of what `plan` gives; nullptr: `data` is JSON
  std::uint32_t schema_version = 0;      // 0 when no version of the type has the schema
  std::uint32_t stored_schema_version = 0;
  std::uint32_t part = 0;            // from 1, of an event that was split; 0: it is whole
  std::string_view data;             // Avro, to be read by `plan`
  const DecodePlan* plan = nullptr;  // nullptr: `data` is JSON

  // Tells a sink (run_plan.h) of the data. Fails with kCorruption. REQUIRES: there is a plan.
  template <typename Sink>
  Status read(Sink& sink) const {
    return PlanRun(sink).run(plan->root(), data);
  }
};

}  // namespace cairn
