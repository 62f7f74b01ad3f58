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

// A step that produces new bytes: `plan` reads the data, and the upcaster's script, or without one a plain
// copy, writes it with `schema`.
struct ChainStep {
  DecodePlan plan;
  std::shared_ptr<const Upcaster> upcaster;
  std::shared_ptr<const StoredSchema> schema;  // of the new bytes
  std::uint32_t version = 0;
  bool resolves = false;  // `plan` reads one schema as another, which can fail for some data
};

// The steps from one stored schema of a type to a shape. Each version leads to the next one: through an
// upcaster if there is one, else by Avro's schema resolution. A resolution at the end produces no bytes: the
// consumer of the event reads with `plan`. Immutable; thread-safe.
struct Chain {
  std::string type;
  std::uint32_t stored_version = 0;  // 0 when no version of the type has the schema any more
  std::vector<ChainStep> steps;
  DecodePlan plan;                             // reads the result of the last step
  std::shared_ptr<const StoredSchema> schema;  // of what `plan` reads
  std::uint32_t version = 0;
  // A hash of everything that determines the result, while it is of this type. An event that a script turns
  // into another type continues through that type's chain.
  std::string fingerprint;

  std::vector<std::shared_ptr<const StoredSchema>>
      schemas;  // that the plans point into; the stored one first
};

// Fails with kNotFound when the shape is a version that the type does not have, or that cannot be reached
// from the stored one; kInvalidArgument and kTooLarge when a plan cannot be compiled.
Result<std::shared_ptr<const Chain>> make_chain(const TypeHistory& history,
                                                std::shared_ptr<const StoredSchema> stored, Shape shape);

}  // namespace cairn
