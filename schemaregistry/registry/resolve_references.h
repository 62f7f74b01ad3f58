#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "eventstore/base/result.h"
#include "eventstore/base/work_budget.h"
#include "schemaregistry/model/schema.h"
#include "schemaregistry/registry/stored_schema.h"

namespace cairn {

// The limits of references, direct and indirect, and of their depth. Real schemas have a handful; code that
// walks a schema recurses through all of them.
inline constexpr std::size_t kReferencesMax = 1'000;
inline constexpr std::size_t kReferenceDepthMax = 32;

// Parses a schema together with those it refers to, depth first; of two references with the same name the
// first counts. Fails as parse_schema() does. REQUIRES: `referenced` has the schemas of `references`, in the
// same order.
Result<Schema> parse_with_references(std::string_view text, std::span<const SchemaReference> references,
                                     std::span<const std::shared_ptr<const StoredSchema>> referenced,
                                     WorkBudget* budget = nullptr);

}  // namespace cairn
