#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/base/result.h"
#include "schemaregistry/codec/decode_plan.h"
#include "schemaregistry/registry/stored_schema.h"
#include "upcasters/chain/type_history.h"
#include "upcasters/model/shape.h"
#include "upcasters/model/upcaster.h"

namespace cairn {

// A step that makes new bytes: the data is read by `plan` and written again, by the upcaster's script or,
// without one, as it is.
struct ChainStep {
  DecodePlan plan;
  std::shared_ptr<const Upcaster> upcaster;
  std::shared_ptr<const StoredSchema> schema;  // of the new bytes
  std::uint32_t version = 0;
  bool resolves = false;  // `plan` reads one schema as another, which may turn out to be impossible
};

// The way from one stored schema of a type to the shape that is wanted. Each version leads to the next:
// through an upcaster where there is one, else by Avro's rules for reading one schema as another. The last
// reading of the latter kind needs no bytes of its own; whoever takes the event reads by `plan`. Never
// changes; any thread.
struct Chain {
  std::string type;
  std::uint32_t stored_version = 0;  // 0 when no version of the type has the schema any more
  std::vector<ChainStep> steps;
  DecodePlan plan;                             // reads what the last step left
  std::shared_ptr<const StoredSchema> schema;  // what `plan` gives
  std::uint32_t version = 0;
  // Of all that decides what comes out, as long as it is of this type; what a script turns into another type
  // goes on through that type's chain.
  std::string fingerprint;

  std::vector<std::shared_ptr<const StoredSchema>>
      schemas;  // that the plans point into; the stored one first
};

// Fails with kNotFound when the shape is a version the type does not have, or none that has this one below it
// can be reached; kInvalidArgument and kTooLarge when a plan cannot be made.
Result<std::shared_ptr<const Chain>> make_chain(const TypeHistory& history,
                                                std::shared_ptr<const StoredSchema> stored, Shape shape);

}  // namespace cairn
