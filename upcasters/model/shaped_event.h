#pragma once

#include <cstdint>
#include <string_view>

#include "schemaregistry/codec/decode_plan.h"
#include "schemaregistry/codec/run_plan.h"
#include "schemaregistry/registry/stored_schema.h"

namespace cairn {

// An event, or a part of one, in the shape that was asked for. Members that are not here are those of the
// stored event. The function that returns it says how long the views live.
struct ShapedEvent {
  std::string_view type;                 // may differ from the stored type
  const StoredSchema* schema = nullptr;  // of what `plan` reads; nullptr: `data` is JSON
  std::uint32_t schema_version = 0;      // 0 when no version of the type has the schema
  std::uint32_t stored_schema_version = 0;
  std::uint32_t part = 0;              // from 1, of an event that was split; 0: it was not
  std::string_view data;               // Avro, to be read by `plan`
  const DecodePlan* plan = nullptr;    // nullptr: `data` is JSON, or opaque
  std::string_view content_type = {};  // not empty: `data` is opaque bytes of this type

  // Reads the data into a sink (run_plan.h). Fails with kCorruption. REQUIRES: `plan` is not null.
  template <typename Sink>
  Status read(Sink& sink) const {
    return PlanRun(sink).run(plan->root(), data);
  }
};

}  // namespace cairn
